import type { DrillReport } from "@tally/bench/drill";
import { expect, vi } from "vitest";
import { endOf, runReported } from "./programs.ts";

// For each test that imports this. 32 faults take 6 min on two idle cores; 23 min were seen on a slow, busy machine.
vi.setConfig({ testTimeout: 30 * 60_000 });

/** Runs `pnpm drill` in its own process. `report`: undefined if it wrote none. */
export async function runDrill(...args: readonly string[]) {
  const { report, ...run } = await runReported("drill", ...args);
  const drilled: DrillReport | undefined = report;
  return { ...run, report: drilled };
}

/** Runs a drill of these kinds of faults, each once, under the load of all domains. Fails unless nothing is lost or
 * doubled. */
export async function expectCleanDrill(kinds: readonly string[], ...args: readonly string[]): Promise<DrillReport> {
  // Beside other tests a rebuild takes long.
  const flags = ["--faults", String(kinds.length), "--kinds", kinds.join(","), "--equal-within", "240", ...args];
  const { exitCode, output, errors, report } = await runDrill(...flags);
  if (report === undefined) throw new Error(`the drill wrote no report\n${endOf(output, errors)}`);
  const { audit, differences } = report;
  expect({ audit, differences }, `\n${endOf(output, errors)}`).toMatchObject({
    audit: { lost: 0, doubled: 0 },
    differences: [],
  });
  expect(exitCode).toBe(0);
  expect(report.faults.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
  // An event that refers to one that the database lost may be stored without a response.
  const { acknowledged: expected, stored, ranked, unacknowledged = 0, deadLetters = 0 } = audit;
  // A refund that takes back more than was sold is kept.
  expect({ kept: stored - unacknowledged + deadLetters, ranked }).toEqual({ kept: expected, ranked: stored });
  expect(report.domains.length).toBeGreaterThanOrEqual(5);
  for (const { acknowledged } of report.domains) expect(acknowledged).toBeGreaterThan(100);
  return report;
}
