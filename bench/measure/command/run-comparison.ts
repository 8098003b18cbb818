import { withBuilds } from "../builds/with-builds.ts";
import { comparison, contendersNamed, ratiosOf, tooSlow, turns, type Run } from "../compare-designs.ts";
import { jsonOf } from "../stored-reports.ts";
import { textOf } from "../text-of.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { refuse, refuseExcluded, type Asked } from "./asked.ts";
import { root } from "./flags.ts";
import { makeResults, runAndStore, writeOutputs } from "./outputs.ts";
import { planOf } from "./plan-of.ts";
import { say } from "./say.ts";

/** Runs designs and builds in turns, each on a fresh system, and prints their ratios. Exit status 1 for a ratio below `failBelow`. */
export async function runComparison(
  names: readonly string[],
  { rounds }: { readonly rounds: number },
  asked: Asked,
  signal: AbortSignal,
): Promise<void> {
  const { flags } = asked;
  const { failBelow } = flags;
  refuse(
    asked,
    ["csv", "cdfCsv", "requestsCsv", "html", "compare"],
    "needs a single run; a comparison stores all its runs, and --json has their ratios",
  );
  refuse(asked, ["design", "durability"], "is set by compare: name the designs as its arguments");
  refuse(
    asked,
    ["target", "source", "scale"],
    "cannot be combined with compare, which starts a system for each design",
  );
  refuseExcluded(asked);
  const contenders = contendersNamed(names);
  if (contenders.some(({ revision }) => revision !== undefined))
    refuse(asked, ["gateways"], "cannot be combined with a build, whose launcher starts one");
  if (failBelow !== undefined && contenders.length < 2)
    throw new WrongUsage("--fail-below needs a second design or build to compare with");
  // All plans before the first run, so that an error in the last is reported at once.
  const planned = contenders.map(({ name, design, durability, revision }) => {
    return { name, revision, plan: { ...planOf({ ...flags, design, durability }, signal), say: () => undefined } };
  });
  await makeResults(flags.results);
  const runs: Run[] = [];
  const revisions = contenders.flatMap(({ revision }) => revision ?? []);
  await withBuilds(revisions, { root, say, signal }, async (builds) => {
    for (const { name, revision = "", plan } of turns(planned, rounds)) {
      say(`\n${name}, run ${runs.length + 1} of ${contenders.length * rounds}`);
      const { report, line } = await runAndStore({ ...plan, build: builds.get(revision) }, flags.results);
      say(`${textOf(report)}\n\n${line}`);
      runs.push({ contender: name, report });
    }
  });
  say(`\n${comparison(contenders, runs)}`);
  const failures = failBelow === undefined ? [] : tooSlow(contenders, runs, failBelow);
  if (failures.length > 0) process.exitCode = 1;
  for (const failure of failures) say(failure);
  const all = { ratios: ratiosOf(contenders, runs), runs };
  await writeOutputs([{ flag: "--json", file: flags.json, content: () => jsonOf(all) }]);
}
