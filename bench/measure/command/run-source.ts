import { commitOf } from "../commit-of.ts";
import type { Report } from "../report.ts";
import { nameOf, printedSources, tasksOf, type PrintedSource } from "../results/printed-sources.ts";
import { bestRuns, keyOf, runsInReports } from "../results/run-files.ts";
import { isSound } from "../results/stored-run.ts";
import { figureTable } from "../results/tables.ts";
import { makeResults, writeJson } from "../stored-reports.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { root, say, type OutputFlags } from "./flags.ts";
import { planOfSource } from "./plan-of.ts";
import { runAndStore } from "./run-once.ts";

export interface SourceFlags extends OutputFlags {
  readonly seed: number;
  readonly scale: number;
  /** Only arrangements of these designs; undefined: all. */
  readonly designs?: readonly string[];
}

/** Runs every arrangement with which a printed row is compared, and prints the rows with our figures. Skips a run that
 * the folder has from this commit with the same scale and seed: the command continues where it was interrupted. */
export async function runSources(names: readonly string[], flags: SourceFlags, signal: AbortSignal): Promise<void> {
  const { scale, seed, results, designs } = flags;
  const sources = names.length === 0 ? printedSources : names.map(sourceNamed);
  const planned = sources
    .flatMap((source) => tasksOf(source).map((task) => ({ source, task })))
    .filter(({ task }) => designs?.includes(task.arrangement.design) ?? true);
  const unused = designs?.find((name) => !planned.some(({ task }) => task.arrangement.design === name));
  if (unused !== undefined) throw new WrongUsage(`--designs: no printed row is compared with ${unused}`);
  await makeResults(results);
  const commit = commitOf(root);
  const all = commit.endsWith("-dirty") ? [] : await runsInReports(results, say);
  const before = all.filter((one) => one.commit === commit);
  const runs: Report[] = [];
  for (const [index, { source, task }] of planned.entries()) {
    const { run, load, arrangement } = task;
    say(`\n${source.name}, ${load.description}, ${nameOf(arrangement)}, run ${index + 1} of ${planned.length}`);
    const key = keyOf({ source: source.name, load: load.description, ...arrangement, scale });
    const stored = before.filter((one) => keyOf(one) === key && one.seed === seed);
    // As when it is measured.
    if (stored.length > 0 && !stored.some(isSound)) process.exitCode = 1;
    if (stored.length > 0) say("stored already");
    else {
      const plan = planOfSource({ domain: source.domain, run, scale, seed }, arrangement, signal);
      runs.push(await runAndStore(plan, results));
    }
  }
  const best = bestRuns(await runsInReports(results, say));
  for (const source of sources) {
    const own = best.filter((run) => run.source === source.name);
    say(`\n${source.name}\n\n${figureTable(source, own).join("\n")}`);
  }
  await writeJson(flags.json, { runs });
}

function sourceNamed(name: string): PrintedSource {
  const found = printedSources.find((source) => source.name === name);
  if (found !== undefined) return found;
  throw new WrongUsage(`expected one of ${printedSources.map((source) => source.name).join(", ")}, got ${name}`);
}
