import { addressVariables, freePorts, type System } from "@tally/local";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect, onTestFinished, vi } from "vitest";
import { atEnd, temporaryDirectory } from "@tally/local/at-end";

export const root = join(import.meta.dirname, "..", "..");
const mainOf = (folder: "measure" | "drill") => join(root, "bench", folder, "main.ts");
const mains = { bench: mainOf("measure"), drill: mainOf("drill") };
export const benchMain = mains.bench;

// Below the limits of the tests: what a test prints when it reaches its own limit does not say what the program was
// doing.
const benchMaxMs = 9 * 60_000;
const drillMaxMs = 29 * 60_000;

/** Runs a program to its end. It gets SIGTERM when the test ends before it. Throws when it, or a process that it has left
 * with its output, runs longer than `maxMs`; with the end of the output. */
export async function runProgram(program: string, args: readonly string[], maxMs = benchMaxMs) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill());
  const output = collect(child.stdout);
  const errors = collect(child.stderr);
  const [exitCode] = await once(child, "close", { signal: AbortSignal.timeout(maxMs) }).catch((cause: unknown) => {
    const isRunning = child.exitCode === null && child.signalCode === null;
    const what = isRunning ? "still runs" : "has ended, but a process that it left holds its output";
    throw new Error(`${program} ${args.join(" ")}\n${what}\n${endOf(output(), errors())}`, { cause });
  });
  return { exitCode, output: output(), errors: errors() };
}

/** Collects what a process writes to some of its streams. */
function collect(...streams: readonly Readable[]): () => string {
  let text = "";
  for (const stream of streams) stream.setEncoding("utf8").on("data", (part: string) => (text += part));
  return () => text;
}

/** A process that need not become ready; `input` is its stdin. It is killed at the end of the test or of the file. */
export function startProcess(program: string, args: readonly string[], env: NodeJS.ProcessEnv, input = "") {
  const child = spawn(program, args, { env });
  const output = collect(child.stdout, child.stderr);
  const printed = collect(child.stdout);
  child.stdin.on("error", () => undefined).end(input); // it may end without reading
  const ended = once(child, "close").then(() => child.exitCode);
  atEnd(() => void child.kill("SIGKILL"));
  return {
    pid: child.pid,
    /** What it has written to stdout and stderr so far. */
    output,
    /** Likewise, to stdout. */
    printed,
    /** Resolves with its exit code when it has ended. */
    ended,
    kill: (signal: NodeJS.Signals): void => void child.kill(signal),
    /** Stops it; resolves with its exit code. */
    stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
      child.kill(signal);
      return ended;
    },
  };
}

/** Stops a process until the end of the test. After SIGSTOP its threads run on for some milliseconds if the machine is
 * busy: resolves when all stand still. */
export async function freeze(process: Pick<System["writer"], "pid" | "kill">): Promise<void> {
  process.kill("SIGSTOP");
  onTestFinished(() => process.kill("SIGCONT"));
  const tasks = `/proc/${process.pid}/task`;
  await vi.waitFor(async () => {
    const stats = (await readdir(tasks)).map((task) => readFile(join(tasks, task, "stat"), "utf8"));
    // The state is behind the name, which is in brackets.
    for (const stat of await Promise.all(stats)) expect(stat.slice(stat.lastIndexOf(")"))).toMatch(/^\) T /);
  }, 10_000);
}

const linesShown = 12;

/** The last lines of what a program printed, for the message of a failed test. */
export function endOf(output: string, errors: string): string {
  return `${output}\n${errors}`.trim().split("\n").slice(-linesShown).join("\n");
}

/** Runs `pnpm bench` or `pnpm drill`. `report`: what it wrote as JSON; undefined if nothing. */
export async function runReported(command: keyof typeof mains, ...flags: readonly string[]) {
  const file = join(await temporaryDirectory(), "created", "report.json");
  const maxMs = command === "bench" ? benchMaxMs : drillMaxMs;
  const run = await runProgram(process.execPath, [mains[command], ...flags, "--json", file], maxMs);
  const written = await readFile(file, "utf8").catch(() => undefined);
  return { ...run, report: written === undefined ? undefined : JSON.parse(written) };
}

/** Runs `pnpm bench`, which stores its runs in a temporary folder. */
export const runBench = async (...flags: readonly string[]) =>
  runReported("bench", ...flags, "--results", await temporaryDirectory());

/** Runs `pnpm bench`, which must succeed. */
export async function bench(...flags: readonly string[]) {
  const run = await runBench(...flags);
  expect(run, `\n${endOf(run.output, run.errors)}`).toMatchObject({ exitCode: 0 });
  return run;
}

/** Starts an app with the given environment and nothing else in it. */
export const startApp = (app: string, environment: NodeJS.ProcessEnv) =>
  startProcess(process.execPath, [join(root, "apps", app, "src", "main.ts")], environment);

/** Starts one more gateway of a system; the test decides its settings. */
export function spawnGateway({ namespace, addresses }: System, settings: NodeJS.ProcessEnv) {
  return startApp("gateway", {
    PATH: process.env["PATH"],
    NAMESPACE: namespace,
    GATEWAY_HEALTH_PORT: "0",
    ...addressVariables(addresses),
    ...settings,
  });
}

/** The same on a free port of loopback; resolves when it is live. One that ends, or is not live in 90 s, fails the test
 * with its output. */
export async function startGateway(system: System, settings: NodeJS.ProcessEnv) {
  const [port] = await freePorts(1);
  const gateway = spawnGateway(system, { HOST: "127.0.0.1", PORT: String(port), ...settings });
  const url = `http://127.0.0.1:${port}`;
  const isLive = vi.waitFor(async () => expect((await fetch(`${url}/health/live`)).status).toBe(200), 90_000);
  const ended = gateway.ended.then((code) => expect.fail(`the gateway ended with ${code}`));
  try {
    await Promise.race([isLive, ended]);
  } catch (error) {
    throw new Error(`the gateway at ${url} is not live; it wrote:\n${gateway.output()}`, { cause: error });
  }
  return { ...gateway, url };
}
