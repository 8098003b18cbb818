import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@tally/runtime";
import { problemIn, problemOf } from "../stored-json.ts";
import { reportIn } from "../stored-reports.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { bestFirst, storedRunOf, storedRuns, type StoredRun } from "./stored-run.ts";

/** The sources' runs among the reports in a folder, oldest first. A file that is no report is skipped, such as one that
 * was cut off; so is a run with settings that differ from the defaults, which is not tally as a row compares with it.
 * `say` is called for a report that lacks figures. */
export async function runsInReports(folder: string, say: (line: string) => void): Promise<readonly StoredRun[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const runs: StoredRun[] = [];
  for (const { name } of entries.filter((entry) => entry.isFile() && entry.name.endsWith(".json"))) {
    const text = await readFile(join(folder, name), "utf8");
    // Cheaper than the check of a report; a folder of the bench has many other runs.
    const report = text.includes('"model": "source"') ? reportIn(text) : undefined;
    if (report === undefined) continue;
    try {
      const run = storedRunOf(report);
      const problem = run && problemOf([run], storedRuns);
      if (problem !== undefined) say(`${join(folder, name)} is skipped: ${problem}`);
      else if (run !== undefined && Object.keys(run.settings).length === 0) runs.push(run);
    } catch (error) {
      // A report is only known to have the figures of a comparison.
      say(`${join(folder, name)} is skipped: another version of the bench wrote it (${reasonOf(error)})`);
    }
  }
  return runs.toSorted((a, b) => a.at.localeCompare(b.at));
}

/** The kept runs; none without the file. */
export async function readRuns(file: string): Promise<readonly StoredRun[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw new WrongUsage(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  const problem = problemIn(text, storedRuns);
  if (problem !== undefined) throw new WrongUsage(`${file} is not a file of pnpm bench report: ${problem}`);
  const runs: readonly StoredRun[] = JSON.parse(text);
  return runs;
}

/** A line for each run. */
export function textOfRuns(runs: readonly StoredRun[]): string {
  return `[\n${runs.map((run) => JSON.stringify(run)).join(",\n")}\n]\n`;
}

/** The best run of each load, arrangement and scale, sorted by these. */
export function bestRuns(runs: readonly StoredRun[]): readonly StoredRun[] {
  const key = (run: StoredRun): string => `${arrangedKeyOf(run)} ${run.scale}`;
  return bestOf(runs, key).toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The best of the runs with the same load and arrangement: the largest, if all are good and undisturbed. */
export function withoutOtherScales(runs: readonly StoredRun[]): readonly StoredRun[] {
  return bestOf(runs, arrangedKeyOf);
}

function bestOf(runs: readonly StoredRun[], key: (run: StoredRun) => string): readonly StoredRun[] {
  return [...Map.groupBy(runs, key).values()].flatMap((group) => group.toSorted(bestFirst).slice(0, 1));
}

function arrangedKeyOf({ source, load, design, durability, gateways }: StoredRun): string {
  return JSON.stringify([source, load, design, durability, gateways]);
}
