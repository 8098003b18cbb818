import type { BenchPlan } from "../bench-plan.ts";
import { isGood, type Report } from "../report.ts";
import { runBench } from "../run-bench.ts";
import { keepReport, makeResults, writeJson } from "../stored-reports.ts";
import { textOf } from "../text-of.ts";
import { say, type Flags, type OutputFlags } from "./flags.ts";
import { planOf } from "./plan-of.ts";

/** One run: printed, stored, and written to the requested file. */
export async function runOnce(flags: Flags & OutputFlags, signal: AbortSignal): Promise<void> {
  const plan = planOf(flags, signal);
  await makeResults(flags.results);
  await writeJson(flags.json, await runAndStore(plan, flags.results));
}

/** Runs a plan, stores its report and prints it. A run that is not good sets the exit status 1. */
export async function runAndStore(plan: BenchPlan, results: string): Promise<Report> {
  const report = await runBench(plan);
  if (!isGood(report)) process.exitCode = 1;
  say(`\n${textOf(report)}\n\nstored as ${await keepReport(report, results)}`);
  return report;
}
