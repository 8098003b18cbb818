import { withBuilds } from "../builds/builds.ts";
import { comparison, contendersNamed, ratiosOf, tooSlow, type Run } from "../compare-designs.ts";
import { orderOfRound } from "../figures.ts";
import { makeResults, writeJson } from "../stored-reports.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { root, say, type Flags, type OutputFlags } from "./flags.ts";
import { planOf } from "./plan-of.ts";
import { runAndStore } from "./run-once.ts";

/** The flags of `compare`. */
export interface CompareFlags extends Omit<Flags, "design" | "durability" | "target">, OutputFlags {
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
  // All plans before the first run, so that an error in the last is reported at once.
  const planned = contenders.map(({ name, design, durability, revision }) => {
    return { name, revision, plan: { ...planOf({ ...flags, design, durability }, signal), say: () => undefined } };
  });
  await makeResults(results);
  const runs: Run[] = [];
  const revisions = contenders.flatMap(({ revision }) => revision ?? []);
  await withBuilds(revisions, { root, say, signal }, async (builds) => {
    for (let round = 0; round < rounds; round++)
      for (const { name, revision = "", plan } of orderOfRound(planned, round)) {
        say(`\n${name}, round ${round + 1} of ${rounds}`);
        const report = await runAndStore({ ...plan, build: builds.get(revision) }, results);
        runs.push({ contender: name, round, report });
      }
  });
  say(`\n${comparison(contenders, runs)}`);
  const failures = failBelow === undefined ? [] : tooSlow(contenders, runs, failBelow);
  if (failures.length > 0) process.exitCode = 1;
  for (const failure of failures) say(failure);
  await writeJson(flags.json, { ratios: ratiosOf(contenders, runs), runs });
}
