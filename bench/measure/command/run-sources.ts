import { commitOf } from "../commit-of.ts";
import { designNames, type DesignName } from "../designs/designs.ts";
import { nameOf, tasksOf, type SourceTask, printedSources, type PrintedSource } from "../results/printed-sources.ts";
import { asItIs } from "../results/printed-rows.ts";
import { bestRuns, runsInReports } from "../results/run-files.ts";
import { isRunOf, isSound, type StoredRun } from "../results/stored-run.ts";
import { figureTable } from "../results/tables.ts";
import { textOf } from "../text-of.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { refuse, type Asked } from "./asked.ts";
import { root, type Flags } from "./flags.ts";
import { makeResults, runAndStore } from "./outputs.ts";
import { planOf } from "./plan-of.ts";
import { sourceNamed } from "./run-source.ts";
import { say } from "./say.ts";

/** Flags of `pnpm bench sources`. Those that are absent may stand before its name. */
export interface SourcesFlags {
  /** Share of the requests of runs of tally as it is. */
  readonly scale?: number;
  /** Share of the requests of all other runs. */
  readonly scaleOfOthers?: number;
  readonly results?: string;
  readonly designs?: readonly string[];
}

/**
 * Runs every arrangement with which a printed row is compared, each on a fresh system, and stores the reports: tally as it is with the loads of all
 * sources, then the others, and tally as it is again with their share of the requests. Skips a run that the folder has from this commit with the same share of the requests and the same seed, so that the
 * command continues where it was interrupted. `designs`: only rows that are compared with these. Prints the tables at the end.
 */
export async function runSources(
  names: readonly string[],
  options: SourcesFlags,
  asked: Asked,
  signal: AbortSignal,
): Promise<void> {
  const designs = options.designs?.map(designNamed);
  refuse(
    asked,
    ["design", "durability", "gateways", "source", "domain", "connections", "clientThreads"],
    "is set by each row",
  );
  refuse(
    asked,
    ["target", "amount", "duration", "rate", "fill", "warmUp", "mix", "contentBytes", "zipf"],
    "cannot be combined with sources",
  );
  refuse(asked, ["set"], "cannot be combined with sources: a row compares with tally's own settings");
  refuse(
    asked,
    ["requestsCsv", "json", "csv", "cdfCsv", "html", "compare", "failBelow"],
    "needs a single run; sources stores all its runs",
  );
  const { scale = asked.flags.scale, scaleOfOthers = scale, results = asked.flags.results } = options;
  const flags = { ...asked.flags, results };
  const sources = names.length === 0 ? printedSources : names.map((name) => sourceNamed(name, "sources"));
  await makeResults(flags.results);
  const commit = commitOf(root);
  const before = await runsInReports(flags.results, say);
  const inOrder = plannedRuns(sources, { scale, scaleOfOthers, designs });
  for (const [index, { source, task, share }] of inOrder.entries()) {
    const { load, arrangement } = task;
    say(`\n${source.name}, ${load.description}, ${nameOf(arrangement)}, run ${index + 1} of ${inOrder.length}`);
    const isStored = (run: StoredRun): boolean =>
      run.source === source.name &&
      run.load === load.description &&
      run.scale === share &&
      run.commit === commit &&
      run.seed === flags.seed &&
      isRunOf(run, arrangement);
    const stored = before.filter(isStored);
    // As when it is measured.
    if (stored.length > 0 && !stored.some(isSound)) process.exitCode = 1;
    if (stored.length > 0) say("stored already");
    else await runTask(source, task, { ...flags, scale: share }, signal);
  }
  const runs = bestRuns(await runsInReports(flags.results, say));
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

/**
 * The runs of some sources in their order: tally as it is, then the others. With two shares tally as it is runs with the share of the others too,
 * because only runs of the same size show what a change is worth.
 */
export function plannedRuns(
  sources: readonly PrintedSource[],
  options: {
    readonly scale: number;
    readonly scaleOfOthers: number;
    readonly designs?: readonly DesignName[] | undefined;
  },
): readonly PlannedRun[] {
  const { scale, scaleOfOthers, designs } = options;
  const tasks = sources
    .flatMap((source) => tasksOf(source).map((task) => ({ source, task })))
    .filter(({ task }) => designs?.includes(task.arrangement.design) ?? true);
  const ofTally = tasks.filter(({ task }) => task.arrangement === asItIs);
  const others = tasks.filter(({ task }) => task.arrangement !== asItIs);
  const sameSize = scale === scaleOfOthers || others.length === 0 ? [] : ofTally;
  return [...withShare(ofTally, scale), ...withShare([...sameSize, ...others], scaleOfOthers)];
}

function withShare<T extends object>(tasks: readonly T[], share: number): readonly (T & { readonly share: number })[] {
  return tasks.map((task) => Object.assign({ share }, task));
}

function designNamed(name: string): DesignName {
  const found = designNames.find((one) => one === name);
  if (found === undefined) throw new WrongUsage(`--designs: expected ${designNames.join(", ")}, got ${name}`);
  return found;
}

async function runTask({ domain }: PrintedSource, task: SourceTask, flags: Flags, signal: AbortSignal): Promise<void> {
  const { run, load, arrangement } = task;
  const connections = load.groups(flags.scale).reduce((sum, group) => sum + group.connections, 0);
  const plan = planOf({ ...flags, ...arrangement, domain, connections, clientThreads: 1 }, signal);
  const phase = { model: "source", run, scale: flags.scale } as const;
  const { report, line } = await runAndStore({ ...plan, phase }, flags.results);
  say(`\n${textOf(report)}\n\n${line}`);
}
