import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { temporaryDirectory } from "./at-end.ts";
import { runTally } from "./run-tally.ts";

type Acknowledged = readonly string[] | ReadonlySet<string>;
type Audited = Parameters<typeof runTally>[0];

/** Runs `tally audit` for these acknowledged ids. */
export async function audit(system: Audited, acknowledged: Acknowledged, ...flags: readonly string[]) {
  const file = join(await temporaryDirectory(), "acknowledged");
  await writeFile(file, Array.from(acknowledged, (id) => `${id}\n`).join(""));
  return runTally(system, ["audit", "--acknowledged", file, ...flags]);
}

/** Its report. */
export async function auditOf(system: Audited, acknowledged: Acknowledged, ...flags: readonly string[]) {
  const { output } = await audit(system, acknowledged, "--json", ...flags);
  const report: unknown = JSON.parse(output);
  return report;
}

/** Fails unless all of these events are stored and ranked, each once, and no others. */
export async function expectAllKept(system: Audited, ids: Acknowledged, ...flags: readonly string[]): Promise<void> {
  const { length } = [...ids];
  expect(await auditOf(system, ids, ...flags)).toMatchObject({
    agrees: true,
    audit: { acknowledged: length, stored: length, ranked: length, lost: 0, doubled: 0, unacknowledged: 0 },
  });
}
