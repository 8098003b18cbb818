import { withBuilds } from "../builds/builds.ts";
import { medianTable, ratioLines, ratiosOf, tooSlow } from "../comparison.ts";
import { contendersNamed } from "../contenders.ts";
import { meaningOf } from "../designs/designs.ts";
import { writeJson } from "../stored-reports.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { root, say, type Flags, type OutputFlags } from "./flags.ts";
import { planOf } from "./plan-of.ts";
import { runRounds } from "./run-rounds.ts";

export interface CompareFlags extends Flags, OutputFlags {
  readonly rounds: number;
  readonly failBelow?: number;
}

/** Runs designs and builds in turns and prints their ratios. Exit status 1 for a ratio below `failBelow`. */
export async function runComparison(names: readonly string[], flags: CompareFlags, signal: AbortSignal): Promise<void> {
  const { failBelow, rounds, results } = flags;
  const contenders = contendersNamed(names);
  if (flags.gateways > 1 && contenders.some(({ revision }) => revision !== undefined))
    throw new WrongUsage("--gateways cannot be combined with a build, whose launcher starts one");
  if (failBelow !== undefined && contenders.length < 2)
    throw new WrongUsage("--fail-below needs a second design or build to compare with");
  const revisions = contenders.flatMap(({ revision }) => revision ?? []);
  const { services = revisions.length > 0 ? "programs" : undefined } = flags;
  if (revisions.length > 0 && services !== "programs")
    throw new WrongUsage(`--services ${services} cannot be combined with a build, whose launcher starts programs`);
  // All plans before the first run, so that an error in the last is reported at once.
  const planned = contenders.map(({ name, revision = "", ...arrangement }) => {
    return { name, revision, plan: planOf({ ...flags, ...(services && { services }) }, signal, arrangement) };
  });
  const runs = await withBuilds(revisions, { root, say, signal }, (builds) =>
    runRounds(
      planned.map(({ name, revision, plan }) => ({ name, plan: { ...plan, build: builds.get(revision) } })),
      rounds,
      results,
    ),
  );
  const meanings = contenders.map(
    ({ name, design, durability }) => `${name}: a 2xx means ${meaningOf(design, durability)}`,
  );
  say(`\n${[medianTable(names, runs), "", ...ratioLines(names, runs), "", ...meanings].join("\n")}`);
  const failures = failBelow === undefined ? [] : tooSlow(names, runs, failBelow);
  if (failures.length > 0) process.exitCode = 1;
  for (const failure of failures) say(failure);
  await writeJson(flags.json, { ratios: ratiosOf(names, runs), runs });
}
