import type { BenchPlan } from "../bench-plan.ts";
import { p99Of, type Run } from "../comparison.ts";
import { orderOfRound, throughputs } from "../figures.ts";
import { isGood } from "../report.ts";
import { runBench } from "../run-bench.ts";
import { keepReport, makeResults } from "../stored-reports.ts";
import { say } from "./flags.ts";

/** Runs each plan once in each round, in changing order. Stores every report and prints a line about it. A run that is
 * not good sets the exit status 1. */
export async function runRounds(
  planned: readonly { readonly name: string; readonly plan: BenchPlan }[],
  rounds: number,
  results: string,
): Promise<readonly Run[]> {
  await makeResults(results);
  const runs: Run[] = [];
  for (let round = 0; round < rounds; round++)
    for (const { name, plan } of orderOfRound(planned, round)) {
      const report = await runBench({ ...plan, say: () => undefined });
      if (!isGood(report)) process.exitCode = 1;
      runs.push({ contender: name, round, report });
      const rate = throughputs.find(({ of }) => of(report) !== null);
      const p99 = p99Of(report)?.toFixed(1) ?? "unknown";
      const file = await keepReport(report, results);
      say(
        `round ${round + 1} of ${rounds}, ${name}: ${rate?.name ?? "accepted /s"} ${rate?.of(report) ?? 0}, ` +
          `p99 ${p99} ms, stored as ${file}`,
      );
    }
  return runs;
}
