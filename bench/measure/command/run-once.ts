import { firstFailure, ServiceError } from "@tally/local";
import { interruption } from "../../kit/index.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { say, type Flags, type OutputFlags } from "./flags.ts";
import type { BenchPlan } from "../bench-plan.ts";
import { isGood, type Report } from "../report.ts";
import { runBench } from "../run-bench.ts";
import { keepReport, makeResults, writeJson } from "../stored-reports.ts";
import { textOf } from "../text-of.ts";
import { planOf } from "./plan-of.ts";

/** Exits with 2 on usage or start-up errors, 130 when interrupted, after one line of text; rethrows bugs. */
export async function reportFailure(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const nothing = (): void => undefined;
  // A second Ctrl-C must not leave servers running.
  const signal = interruption(nothing, nothing);
  try {
    await work(signal);
  } catch (thrown) {
    const error = firstFailure(thrown);
    if (signal.aborted) {
      say("interrupted; its servers are stopped");
      process.exit(130);
    }
    // A ServiceError explains why a server or an app did not start: a wrong setting, a missing program.
    if (!(error instanceof WrongUsage || error instanceof ServiceError)) throw error;
    process.stderr.write(`${error.message}\n`);
    // Exit status 1 (an event was lost) takes precedence.
    process.exitCode ??= 2;
  }
}

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
