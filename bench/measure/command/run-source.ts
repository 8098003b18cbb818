import type { Report } from "../report.ts";
import { printedSources, type PrintedSource, nameOf, tasksOf, type SourceTask } from "../results/printed-sources.ts";
import { storedRunOf, isRunOf, isSound, type StoredRun } from "../results/stored-run.ts";
import { figureTable } from "../results/tables.ts";
import { makeResults, writeJson } from "../stored-reports.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { say, type Flags, type OutputFlags, root } from "./flags.ts";
import { planOfSource } from "./plan-of.ts";
import { runAndStore } from "./run-once.ts";
import { commitOf } from "../commit-of.ts";
import { designNames, type DesignName } from "../designs/designs.ts";
import { asItIs } from "../results/printed-rows.ts";
import { bestRuns, runsInReports } from "../results/run-files.ts";

/** The flags of `source`. */
export interface SourceFlags
  extends Pick<Flags, "seed" | "gateways" | "design" | "durability" | "target" | "set">, OutputFlags {
  readonly scale: number;
}

/** All runs of a source with one arrangement, and its printed rows beside our figures. */
export async function runSource(name: string, flags: SourceFlags, signal: AbortSignal): Promise<void> {
  const { scale, results } = flags;
  const source = sourceNamed(name);
  await makeResults(results);
  const runs: Report[] = [];
  for (const [run, { description, isExtra = false }] of source.loads.entries()) {
    if (isExtra) continue;
    say(`\n${name}, ${description}`);
    runs.push(await runAndStore(planOfSource(flags, { domain: source.domain, run, scale }, signal), results));
  }
  const stored = runs.flatMap((report) => storedRunOf(report) ?? []);
  const table = figureTable(source, stored);
  say(`\n${table.join("\n")}\n\npnpm bench sources ${name} runs every arrangement of this table`);
  await writeJson(flags.json, { source: name, scale, table, runs });
}

/** A source by its name. Throws a WrongUsage. */
function sourceNamed(name: string): PrintedSource {
  const found = printedSources.find((source) => source.name === name);
  if (found !== undefined) return found;
  throw new WrongUsage(`expected one of ${printedSources.map((source) => source.name).join(", ")}, got ${name}`);
}

/** The flags of `sources`. */
export interface SourcesFlags {
  readonly seed: number;
  /** Share of the requests of runs of tally as it is. */
  readonly scale: number;
  /** Share of the requests of all other runs. */
  readonly scaleOfOthers?: number;
  /** Only rows that are compared with these. */
  readonly designs?: readonly string[];
  readonly results: string;
}

/** Runs every arrangement with which a printed row is compared. Skips a run that the folder has from this commit with
 * the same share of the requests and the same seed: the command continues where it was interrupted. */
export async function runSources(names: readonly string[], flags: SourcesFlags, signal: AbortSignal): Promise<void> {
  const { scale, scaleOfOthers = scale, seed, results } = flags;
  const designs = flags.designs?.map(designNamed);
  const sources = names.length === 0 ? printedSources : names.map(sourceNamed);
  await makeResults(results);
  const commit = commitOf(root);
  const before = await runsInReports(results, say);
  const planned = plannedRuns(sources, { scale, scaleOfOthers, designs });
  for (const [index, { source, task, share }] of planned.entries()) {
    const { run, load, arrangement } = task;
    say(`\n${source.name}, ${load.description}, ${nameOf(arrangement)}, run ${index + 1} of ${planned.length}`);
    const isStored = (stored: StoredRun): boolean =>
      stored.source === source.name &&
      stored.load === load.description &&
      stored.scale === share &&
      stored.commit === commit &&
      stored.seed === seed &&
      isRunOf(stored, arrangement);
    const stored = before.filter(isStored);
    // As when it is measured.
    if (stored.length > 0 && !stored.some(isSound)) process.exitCode = 1;
    if (stored.length > 0) say("stored already");
    else {
      const own = { ...arrangement, seed, set: [] };
      await runAndStore(planOfSource(own, { domain: source.domain, run, scale: share }, signal), results);
    }
  }
  const runs = bestRuns(await runsInReports(results, say));
  for (const source of sources) {
    const own = runs.filter((run) => run.source === source.name);
    say(`\n${source.name}\n\n${figureTable(source, own).join("\n")}`);
  }
}

/** A run, and its share of the requests. */
export interface PlannedRun {
  readonly source: PrintedSource;
  readonly task: SourceTask;
  readonly share: number;
}

/** The runs of some sources in their order: tally as it is, then the others. With two shares tally as it is runs with
 * the share of the others too, because only runs of the same size show what a change is worth. */
export function plannedRuns(
  sources: readonly PrintedSource[],
  {
    scale,
    scaleOfOthers,
    designs,
  }: Required<Pick<SourcesFlags, "scale" | "scaleOfOthers">> & {
    readonly designs?: readonly DesignName[] | undefined;
  },
): readonly PlannedRun[] {
  const tasks = sources
    .flatMap((source) => tasksOf(source).map((task) => ({ source, task })))
    .filter(({ task }) => designs?.includes(task.arrangement.design) ?? true);
  const ofTally = tasks.filter(({ task }) => task.arrangement === asItIs);
  const others = tasks.filter(({ task }) => task.arrangement !== asItIs);
  const sameSize = scale === scaleOfOthers || others.length === 0 ? [] : ofTally;
  return [
    ...ofTally.map(({ source, task }) => ({ source, task, share: scale })),
    ...[...sameSize, ...others].map(({ source, task }) => ({ source, task, share: scaleOfOthers })),
  ];
}

function designNamed(name: string): DesignName {
  const found = designNames.find((one) => one === name);
  if (found === undefined) throw new WrongUsage(`--designs: expected ${designNames.join(", ")}, got ${name}`);
  return found;
}
