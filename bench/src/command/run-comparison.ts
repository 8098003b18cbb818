import { comparison, contendersNamed, ratiosOf, turns, type Run } from "../compare-designs.ts";
import { jsonOf } from "../stored-reports.ts";
import { textOf } from "../text-of.ts";
import { refuse, refuseExcluded, type Asked } from "./asked.ts";
import { makeResults, runAndStore, writeOutputs } from "./outputs.ts";
import { planOf } from "./plan-of.ts";
import { say } from "./say.ts";

/** Runs designs in turns, each on a fresh system, and prints their ratios. */
export async function runComparison(
  names: readonly string[],
  rounds: number,
  asked: Asked,
  signal: AbortSignal,
): Promise<void> {
  const { flags } = asked;
  refuse(
    asked,
    ["csv", "html", "compare"],
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
  // All plans before the first run, so that an error in the last is reported at once.
  const planned = contenders.map(({ name, design, durability }) => {
    return { name, plan: { ...planOf({ ...flags, design, durability }, signal), say: () => undefined } };
  });
  await makeResults(flags.results);
  const runs: Run[] = [];
  for (const { name, plan } of turns(planned, rounds)) {
    say(`\n${name}, run ${runs.length + 1} of ${contenders.length * rounds}`);
    const { report, line } = await runAndStore(plan, flags.results);
    say(`${textOf(report)}\n\n${line}`);
    runs.push({ contender: name, report });
  }
  say(`\n${comparison(contenders, runs)}`);
  const all = { ratios: ratiosOf(contenders, runs), runs };
  await writeOutputs([{ flag: "--json", file: flags.json, content: () => jsonOf(all) }]);
}
