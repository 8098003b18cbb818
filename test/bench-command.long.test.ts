import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { processesNaming } from "@tally/local";
import { expect, test, vi } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import { bench, benchMain, root, runBench, runProgram, runReported, startProcess } from "./kit/programs.ts";

/* The bench's command: sweeps, wrong usage, and benches that are killed or interrupted. */

vi.setConfig({ testTimeout: 10 * 60_000 });

test("no figure includes the warm-up", async () => {
  const { report } = await bench("--connections", "2", "--duration", "0.5", "--warm-up", "0.5");
  const { sent, accepted, statuses, audit } = report;
  expect(sent).toBeGreaterThan(0);
  expect([accepted.events, statuses["201"]]).toEqual([sent, sent]);
  expect(audit.acknowledged).toBeGreaterThan(sent);
});

test("tally plan calculates from a run as it is stored", async () => {
  const results = await temporaryDirectory();
  const run = await runReported("bench", "--amount", "11000", "--connections", "64", "--results", results);
  expect(run).toMatchObject({ exitCode: 0, errors: "" });
  const file = join(results, readdirSync(results)[0] ?? "");
  const demand = ["--stores", "5000", "--per-hour", "300", "--run", file, "--json"];
  const plan = await runProgram(process.execPath, [join(root, "apps/admin/src/main.ts"), "plan", ...demand]);
  expect(plan).toMatchObject({ exitCode: 0, errors: "" });
  const tiers = JSON.parse(plan.output).tiers.map((one: Record<string, unknown>) => [one.tier, one.usPerEvent]);
  expect(run.report.cpuUsPerEvent).toMatchObject(Object.fromEntries(tiers));
});

test("a sweep runs every value in each round, in another order, and chooses the best one", async () => {
  const results = await temporaryDirectory();
  const load = ["--connections", "2,4", "--amount", "60", "--rounds", "2"];
  const sweep = await runReported("bench", "sweep", ...load, "--within-p99", "10000", "--results", results);
  expect(sweep).toMatchObject({ exitCode: 0, errors: "" });
  const rounds = [...sweep.output.matchAll(/^round (\d) of 2, connections (\d): ranked \/s \d+, p99 [\d.]+ ms/gm)];
  expect(rounds.map(([, round, value]) => `${round} ${value}`)).toEqual(["1 2", "1 4", "2 4", "2 2"]);
  expect(sweep.report.best).toMatchObject({ name: expect.stringMatching(/^connections [24]$/) });
  expect(sweep.output).toMatch(/^best within p99 10000 ms: connections [24] \(ranked \/s [\d.]+, p99 [\d.]+ ms\)$/m);
  expect(readdirSync(results)).toHaveLength(4);
});

test.each([
  [["source", "S9"], "expected one of S0, S1, "],
  [["--domain", "lifts"], "--domain: there is no domain lifts; there are: purchases"],
  [["--amount", "600", "--warm-up", "3"], "'--amount <number>' cannot be used with option '--warm-up <seconds>'"],
  [["compare", "batched", "bare", "--fill", "9"], "--fill: the design bare stores nothing"],
  [["--duration", "0"], "--duration: expected more than 0"],
  [["--duration", "3", "--rate", "0.1"], "--rate: no request is due in 3 s at 0.1 a second"],
  [["compare", "batched", "synchronous:transient"], "the design synchronous sends nothing to the broker"],
  [["compare", "bare", "batched", "bare"], '"bare" is named twice'],
  [["compare", "batched@no-such-tag"], "there is no commit no-such-tag in this clone"],
  [["compare", "batched", "--fail-below", "0.9"], "--fail-below needs a second design or build"],
  [["sweep", "--connections", "4,x"], "expected whole numbers from 1 on, separated by commas"],
  // The app reports it.
  [
    ["--set", "BATCH_EVENTS_MAX=x", "--amount", "600"],
    'BATCH_EVENTS_MAX: expected a whole number from 1 to 10000, got "x"',
  ],
  [["--kinds", "no-such-kind"], '--kinds: "no-such-kind" is not one of gateway-killed, ', "drill"],
  [["--domain", "cars"], '--domain: "cars" is not one of purchases, ', "drill"],
  [["--faults", "many"], "expected a whole number from 1 on", "drill"],
  [
    ["--sabotage", "luck"],
    "Allowed choices are ledger, ranked-mark, early-ack, key-comparison, epochs, sale-lock, early-2xx",
    "drill",
  ],
] as const)(
  "wrong usage is reported in a line, and nothing runs: %s",
  async (args, message, command: "bench" | "drill" = "bench") => {
    const { exitCode, output, errors, report } = await runReported(command, ...args);
    expect([exitCode, report]).toEqual([2, undefined]);
    expect(output + errors).toContain(message);
    expect(output + errors).not.toMatch(/\n {4}at /);
  },
);

async function start(...args: readonly string[]) {
  const flags = [...args, "--connections", "4", "--results", await temporaryDirectory()];
  const running = startProcess(process.execPath, [benchMain, ...flags], process.env);
  const prints = (line: string) =>
    expect.poll(() => running.output(), { timeout: 280_000, interval: 20 }).toContain(line);
  return { ...running, folder: join(root, ".tally", `bench-${running.pid}`), prints };
}

test("the next bench stops the servers and apps of a killed one", async () => {
  const killed = await start("--warm-up", "600");
  await killed.prints("warming up");
  await killed.stop("SIGKILL");
  expect(processesNaming(killed.folder).length).toBeGreaterThanOrEqual(7);
  const { exitCode } = await runBench("--amount", "50", "--connections", "4");
  expect(exitCode).toBe(0);
  // A bench of another test may have come before this one.
  await expect
    .poll(() => [processesNaming(killed.folder), existsSync(killed.folder)], { timeout: 60_000 })
    .toEqual([[], false]);
});

test("interrupted during the audit, the bench stops everything that it has started", async () => {
  const interrupted = await start("--amount", "50");
  await interrupted.prints("auditing");
  expect(await interrupted.stop("SIGINT")).toBe(130);
  expect(processesNaming(interrupted.folder)).toEqual([]);
  expect(existsSync(interrupted.folder)).toBe(false);
  expect(interrupted.output()).toContain("interrupted; its servers are stopped");
});
