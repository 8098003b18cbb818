import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@tally/runtime";
import type { Report } from "../report.ts";
import { orWrongUsage } from "../wrong-usage.ts";
import { bestFirst, storedRunOf, type StoredRun } from "./stored-run.ts";

/** The sources' runs among the reports in a folder, oldest first, without those with settings that differ from the
 * defaults, which are not tally as a row compares with it. `say` is called for a file that cannot be used, such as one
 * that was cut off. */
export async function runsInReports(folder: string, say: (line: string) => void): Promise<readonly StoredRun[]> {
  const entries = await orWrongUsage("the folder of reports cannot be read", () =>
    readdir(folder, { withFileTypes: true }),
  );
  const runs: StoredRun[] = [];
  for (const { name } of entries.filter((entry) => entry.isFile() && entry.name.endsWith(".json"))) {
    const text = await readFile(join(folder, name), "utf8");
    // Cheap: a folder of the bench has many other runs.
    if (!text.includes('"model": "source"')) continue;
    try {
      const report: Report = JSON.parse(text);
      const run = storedRunOf(report);
      if (run !== undefined && Object.keys(run.settings).length === 0) runs.push(run);
    } catch (error) {
      say(`${join(folder, name)} is skipped, because it is no report of this version: ${reasonOf(error)}`);
    }
  }
  return runs.toSorted((a, b) => a.at.localeCompare(b.at));
}

/** The kept runs; none without the file. */
export async function readRuns(file: string): Promise<readonly StoredRun[]> {
  if (!existsSync(file)) return [];
  return orWrongUsage(`${file} cannot be read`, async () => JSON.parse(await readFile(file, "utf8")));
}

/** The best run of each load, arrangement and scale, sorted by these. */
export function bestRuns(runs: readonly StoredRun[]): readonly StoredRun[] {
  return bestOf(runs, keyOf).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

type Key = "source" | "load" | "design" | "durability" | "gateways" | "scale";

/** The same for runs of the same load, arrangement and scale. */
export const keyOf = (run: Pick<StoredRun, Key>): string => `${arrangedKeyOf(run)} ${run.scale}`;

/** The best of the runs with the same load and arrangement: the largest, if all are good and undisturbed. */
export function withoutOtherScales(runs: readonly StoredRun[]): readonly StoredRun[] {
  return bestOf(runs, arrangedKeyOf);
}

function bestOf(runs: readonly StoredRun[], key: (run: StoredRun) => string): readonly StoredRun[] {
  return [...Map.groupBy(runs, key).values()].flatMap((group) => group.toSorted(bestFirst).slice(0, 1));
}

function arrangedKeyOf({ source, load, design, durability, gateways }: Pick<StoredRun, Key>): string {
  return JSON.stringify([source, load, design, durability, gateways]);
}
