import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@tally/runtime";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { printedSources } from "../printed/printed-sources.ts";
import type { Report } from "../report.ts";
import { problemIn, problemOf } from "../stored-json.ts";
import { reportIn } from "../stored-reports.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { bestFirst, StoredRunSchema, storedRun, storedRunOf, type StoredRun } from "./stored-run.ts";

const storedRuns = Compile(Type.Array(StoredRunSchema));

/**
 * The sources' runs among the reports in a folder, oldest first. A file that is no report is skipped, such as one that was cut off; so is a run
 * with settings that differ from the defaults, which is not tally as a row compares with it. `say` is called for a report that lacks figures.
 */
export async function runsInReports(folder: string, say: (line: string) => void): Promise<readonly StoredRun[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".json")).map(({ name }) => name);
  const runs: StoredRun[] = [];
  for (const file of files) {
    const text = await readFile(join(folder, file), "utf8");
    // Cheaper than the check of a report; a folder of the bench has many other runs.
    const report = text.includes('"model": "source"') ? reportIn(text) : undefined;
    const run = report && reduced(report);
    if (typeof run === "string") say(`${join(folder, file)} is skipped: ${run}`);
    else if (run !== undefined && Object.keys(run.settings).length === 0) runs.push(run);
  }
  return runs.toSorted((a, b) => a.at.localeCompare(b.at));
}

/** The run of a report; undefined: it is not of a source's run. A text: what is wrong with it. */
function reduced(report: Report): StoredRun | string | undefined {
  try {
    const run = storedRunOf(report);
    return run && (problemOf(run, storedRun) ?? run);
  } catch (error) {
    // Of a report only the figures of a comparison are known to be there.
    return `another version of the bench wrote it (${reasonOf(error)})`;
  }
}

/** The kept runs of all sources. A source without a file has none. */
export async function readRuns(folder: string): Promise<readonly StoredRun[]> {
  const files = new Set(await readdir(folder).catch(() => []));
  const kept: StoredRun[] = [];
  for (const { name } of printedSources) {
    if (!files.has(fileOf(name))) continue;
    kept.push(...(await runsIn(join(folder, fileOf(name)))));
  }
  return kept;
}

/** Reads a file that writeRuns has written. */
async function runsIn(file: string): Promise<readonly StoredRun[]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new WrongUsage(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  });
  const problem = problemIn(text, storedRuns);
  if (problem !== undefined) throw new WrongUsage(`${file} is not a file of pnpm bench report: ${problem}`);
  const runs: readonly StoredRun[] = JSON.parse(text);
  return runs;
}

/** The contents of a file for each source that has runs, a line for each run, by file names. */
export function filesOfRuns(runs: readonly StoredRun[]): ReadonlyMap<string, string> {
  return new Map(
    printedSources.flatMap(({ name }) => {
      const own = runs.filter(({ source }) => source === name);
      if (own.length === 0) return [];
      return [[fileOf(name), `[\n${own.map((run) => JSON.stringify(run)).join(",\n")}\n]\n`]];
    }),
  );
}

/** The best run of each load, arrangement and scale, sorted by these. */
export function bestRuns(runs: readonly StoredRun[]): readonly StoredRun[] {
  return bestOf(runs, keyOf).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Of the runs with the same load and arrangement the best one, which is the largest if all are good and undisturbed. Keeps the order. */
export function withoutOtherScales(runs: readonly StoredRun[]): readonly StoredRun[] {
  const best = new Set(bestOf(runs, arrangedKeyOf));
  return runs.filter((run) => best.has(run));
}

function bestOf(runs: readonly StoredRun[], key: (run: StoredRun) => string): readonly StoredRun[] {
  const groups = Map.groupBy(runs, key);
  return [...groups.values()].flatMap((group) => group.toSorted(bestFirst).slice(0, 1));
}

/** Equal for runs of which one is kept. */
function keyOf(run: StoredRun): string {
  return `${arrangedKeyOf(run)} ${run.scale}`;
}

function arrangedKeyOf({ source, load, design, durability, gateways }: StoredRun): string {
  return JSON.stringify([source, load, design, durability, gateways]);
}

const fileOf = (source: string): string => `${source}.json`;
