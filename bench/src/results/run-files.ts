import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { printedSources } from "../printed/printed-sources.ts";
import { reportIn } from "../stored-reports.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { bestFirst, storedRunOf, type StoredRun } from "./stored-run.ts";

/**
 * The sources' runs among the reports in a folder, oldest first. A file that is no report is skipped, such as one that was cut off; so is a run
 * with settings that differ from the defaults, which is not tally as a row compares with it.
 */
export async function runsInReports(folder: string): Promise<readonly StoredRun[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  const runs: StoredRun[] = [];
  for (const file of files) {
    const text = await readFile(join(folder, file), "utf8");
    // Cheaper than the check of a report; a folder of the bench has many other runs.
    const report = text.includes('"model": "source"') ? reportIn(text) : undefined;
    const run = report && storedRunOf(report);
    if (run !== undefined && Object.keys(run.settings).length === 0) runs.push(run);
  }
  return runs.toSorted((a, b) => a.at.localeCompare(b.at));
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
  const text = await readFile(file, "utf8");
  try {
    const runs: readonly StoredRun[] = JSON.parse(text);
    if (runs.every(({ source, load, series }) => [source, load].every(isText) && Array.isArray(series.p99)))
      return runs;
  } catch {
    // not JSON, or not a list of runs
  }
  throw new WrongUsage(`${file} is not a file of pnpm bench report`);
}

const isText = (value: unknown): boolean => typeof value === "string";

/** Writes a file for each source that has runs, a line for each run. */
export async function writeRuns(folder: string, runs: readonly StoredRun[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name } of printedSources) {
    const own = runs.filter(({ source }) => source === name);
    if (own.length === 0) continue;
    await writeFile(join(folder, fileOf(name)), `[\n${own.map((run) => JSON.stringify(run)).join(",\n")}\n]\n`);
  }
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
