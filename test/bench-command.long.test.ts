import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { processesNaming, temporaryDirectory } from "@tally/local/at-end";
import { benchMain, root, runReported, startProcess } from "./kit/programs.ts";

/* The bench's command: sweeps, wrong usage, and benches that are killed or interrupted. */

vi.setConfig({ testTimeout: 10 * 60_000 });

test("a sweep runs every value, and chooses the best one", async () => {
  const results = await temporaryDirectory();
  const load = ["--connections", "2,4", "--amount", "60", "--rounds", "1"];
  const sweep = await runReported("bench", "sweep", ...load, "--within-p99", "10000", "--results", results);
  expect(sweep).toMatchObject({ exitCode: 0, errors: "" });
  const runs = [...sweep.output.matchAll(/^round 1 of 1, connections (\d): ranked \/s \d+, p99 [\d.]+ ms/gm)];
  expect(runs.map(([, value]) => value)).toEqual(["2", "4"]);
  expect(sweep.report.best).toMatchObject({ name: expect.stringMatching(/^connections [24]$/) });
  expect(sweep.output).toMatch(/^best within p99 10000 ms: connections [24] \(ranked \/s [\d.]+, p99 [\d.]+ ms\)$/m);
  expect(readdirSync(results)).toHaveLength(2);
});

test.each([
  [["source", "S9"], "expected one of S0, S1, "],
  [["source", "S4", "--designs", "batched,typo"], "--designs: no printed row is compared with typo"],
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

test("the next bench stops the servers and apps of a killed one, and, when it is interrupted, its own", async () => {
  const killed = await start("--warm-up", "600");
  await killed.prints("warming up");
  await killed.stop("SIGKILL");
  expect(processesNaming(killed.folder).length).toBeGreaterThanOrEqual(7);
  const interrupted = await start("--amount", "50");
  await interrupted.prints("auditing");
  expect([processesNaming(killed.folder), existsSync(killed.folder)]).toEqual([[], false]);
  expect(await interrupted.stop("SIGINT")).toBe(130);
  expect([processesNaming(interrupted.folder), existsSync(interrupted.folder)]).toEqual([[], false]);
  expect(interrupted.output()).toContain("interrupted; its servers are stopped");
});
