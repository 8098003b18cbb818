import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { processesNaming } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "./kit/at-end.ts";
import { listen } from "./kit/fronts.ts";
import { bench, benchMain, runBench, runProgram, runReported } from "./kit/programs.ts";

/* The bench's command: a server that it has not started, wrong usage, and benches that are killed or interrupted. */

vi.setConfig({ testTimeout: 10 * 60_000 });

/** A running system that accepts everything at once. */
function elsewhere(onPost: () => unknown = () => undefined): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== "POST") return response.end('{"stored":true,"ranked":true}');
    onPost();
    return response.writeHead(201, { "tally-event-id": "01a1fb30-2980-71ee-89cd-4f71757df440" }).end();
  });
  return listen(server);
}

test("figures that are unknown for a running system are null, not 0", async () => {
  const target = await elsewhere();
  const { output, errors, report: whole } = await bench("--target", target, "--amount", "500", "--connections", "5");
  expect(errors).toBe("");
  const { cpuUsPerEvent, cpuSeconds, ...report } = whole;
  const nulls = { gateway: null, writer: null, ranker: null, broker: null, database: null, redis: null };
  expect(report).toMatchObject({
    target,
    gateways: null,
    design: "unknown",
    durability: "unknown",
    accepted: { events: 500 },
    stored: { perSecond: null },
    ranked: { perSecond: null },
    drainSeconds: null,
    queue: { max: null, isFull: false },
    disturbance: { foreign: null },
    memoryMiB: nulls,
    reads: { requests: 0, latencyMs: null },
    audit: null,
    agrees: null,
  });
  for (const cpu of [cpuUsPerEvent, cpuSeconds]) expect(cpu).toMatchObject({ ...nulls, total: null });
  expect(cpuUsPerEvent.client).toBeGreaterThan(0);
  for (const figure of ["stored", "ranked", "queues", "memory MiB"])
    expect(output).toMatch(new RegExp(`^${figure} +unknown`, "m"));
  expect(output).toContain("foreign CPU unknown");
});

test("no figure includes the warm-up", async () => {
  let posts = 0;
  const flags = ["--target", await elsewhere(() => posts++), "--connections", "2", "--duration", "0.5"];
  const sentWith = async (warmUp: string) => {
    posts = 0;
    const { sent, accepted, statuses } = (await bench(...flags, "--warm-up", warmUp)).report;
    expect([accepted.events, statuses["201"]]).toEqual([sent, sent]);
    return { sent, before: posts - sent };
  };
  expect((await sentWith("0")).before).toBe(0);
  const { sent, before } = await sentWith("0.5");
  expect(sent).toBeGreaterThan(0);
  expect(before).toBeGreaterThan(0);
});

test("a sweep runs every value in each round, in another order, and chooses the best one", async () => {
  const results = await temporaryDirectory();
  const load = ["--connections", "2,4", "--target", await elsewhere(), "--amount", "60", "--rounds", "2"];
  const sweep = await runReported("bench", "sweep", ...load, "--within-p99", "10000", "--results", results);
  expect(sweep).toMatchObject({ exitCode: 0, errors: "" });
  const rounds = [...sweep.output.matchAll(/^round (\d) of 2, connections (\d): accepted \/s \d+, p99 [\d.]+ ms/gm)];
  expect(rounds.map(([, round, value]) => `${round} ${value}`)).toEqual(["1 2", "1 4", "2 4", "2 2"]);
  expect(sweep.report.best).toMatchObject({ name: expect.stringMatching(/^connections [24]$/) });
  expect(sweep.output).toMatch(/^best within p99 10000 ms: connections [24] \(accepted \/s [\d.]+, p99 [\d.]+ ms\)$/m);
  expect(readdirSync(results)).toHaveLength(4);
});

test("a file that cannot be written is reported in a line, and the stored report is written", async () => {
  const results = await temporaryDirectory();
  const json = join(benchMain, "report.json");
  const flags = ["--target", await elsewhere(), "--amount", "20", "--connections", "2", "--results", results];
  const { exitCode, output, errors } = await runProgram(process.execPath, [benchMain, ...flags, "--json", json]);
  expect(exitCode).toBe(2);
  expect(errors).toMatch(`--json: ${json} cannot be written: EEXIST`);
  const [stored = ""] = readdirSync(results);
  expect(output).toContain(`stored as ${join(results, stored)}`);
  expect(JSON.parse(await readFile(join(results, stored), "utf8"))).toMatchObject({ accepted: { events: 20 } });
});

test.each([
  [["source", "S9"], "expected one of S0, S1, "],
  [["--domain", "lifts"], "--domain: there is no domain lifts; there are: purchases"],
  [["--amount", "600", "--warm-up", "3"], "'--amount <number>' cannot be used with option '--warm-up <seconds>'"],
  [["compare", "batched", "bare", "--fill", "9"], "--fill: the design bare stores nothing"],
  [["--duration", "0"], "--duration: expected more than 0"],
  [["--duration", "3", "--rate", "0.1"], "--rate: no request is due in 3 s at 0.1 a second"],
  [["--content-bytes", "1000"], "--content-bytes: events of purchases have no content"],
  [["compare", "batched", "synchronous:transient"], "--durability: the design synchronous sends nothing to the broker"],
  [["--target", "http://127.0.0.1:1/base"], "expected an address such as http://127.0.0.1:8080, without a path"],
  [["--target", "http://127.0.0.1:1"], "http://127.0.0.1:1 does not respond"],
  [["compare", "fast"], 'there is no "fast"'],
  [["compare", "bare", "batched", "bare"], '"bare" is named twice'],
  [["compare", "batched@no-such-tag"], "there is no commit no-such-tag in this clone"],
  [["compare", "batched", "--fail-below", "0.9"], "--fail-below needs a second design or build"],
  [["sweep"], "expected a setting with several values, such as --connections 32,64,128; got none"],
  [["sweep", "--connections", "4,x"], "expected whole numbers from 1 on, separated by commas"],
  // The app reports it.
  [
    ["--set", "BATCH_EVENTS_MAX=x", "--amount", "600"],
    'BATCH_EVENTS_MAX: expected a whole number from 1 to 10000, got "x"',
  ],
])("wrong usage is reported in a line: %s", async (args, message) => {
  const { exitCode, output, errors } = await runBench(...args);
  expect(exitCode).toBe(2);
  expect(output + errors).toContain(message);
  expect(output + errors).not.toMatch(/\n {4}at /);
});

/** A running bench and its output so far. */
async function running(...args: readonly string[]) {
  const results = await temporaryDirectory();
  const child = spawn(process.execPath, [benchMain, ...args, "--connections", "4", "--results", results], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  const folder = join(import.meta.dirname, "..", ".tally", `bench-${child.pid}`);
  const prints = (line: string) => vi.waitFor(() => expect(output).toContain(line), { timeout: 120_000, interval: 20 });
  return { child, folder, prints, exited: once(child, "exit"), output: () => output };
}

test("the next bench stops the servers and apps of a killed one", async () => {
  const killed = await running("--warm-up", "600");
  await killed.prints("warming up");
  killed.child.kill("SIGKILL");
  await killed.exited;
  expect(processesNaming(killed.folder).length).toBeGreaterThanOrEqual(7);
  const { exitCode } = await runBench("--amount", "50", "--connections", "4");
  expect(exitCode).toBe(0);
  // A bench of another test may have come before this one.
  await vi.waitFor(
    () => expect([processesNaming(killed.folder), existsSync(killed.folder)]).toEqual([[], false]),
    60_000,
  );
});

test("interrupted during the audit, the bench stops everything that it has started", async () => {
  const interrupted = await running("--amount", "50");
  await interrupted.prints("auditing");
  interrupted.child.kill("SIGINT");
  expect((await interrupted.exited)[0]).toBe(130);
  expect(processesNaming(interrupted.folder)).toEqual([]);
  expect(existsSync(interrupted.folder)).toBe(false);
  expect(interrupted.output()).toContain("interrupted; its servers are stopped");
});
