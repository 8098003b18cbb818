import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { processesNaming } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory } from "./kit/at-end.ts";
import { benchMain, runBench } from "./kit/programs.ts";

/* Benches that are killed or interrupted leave nothing behind. */

vi.setConfig({ testTimeout: 10 * 60_000 });

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
