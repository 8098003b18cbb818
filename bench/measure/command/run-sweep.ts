import { bestWithin, medianTable } from "../comparison.ts";
import { combinationsOf, type Swept } from "../contenders.ts";
import { writeJson } from "../stored-reports.ts";
import { say, type Flags, type OutputFlags } from "./flags.ts";
import { planOf } from "./plan-of.ts";
import { runRounds } from "./run-rounds.ts";

export interface SweepFlags extends Omit<Flags, keyof Swept>, Swept, OutputFlags {
  readonly rounds: number;
  readonly withinP99?: number;
}

/** Runs a load with each combination of values, stores every run, and prints a table. */
export async function runSweep(flags: SweepFlags, signal: AbortSignal): Promise<void> {
  const { rounds, withinP99, results } = flags;
  // All plans before the first run, so that an error in the last is reported at once.
  const planned = combinationsOf(flags).map(({ name, ...own }) => ({
    name,
    plan: planOf({ ...flags, ...own }, signal),
  }));
  const names = planned.map(({ name }) => name);
  const runs = await runRounds(planned, rounds, results);
  say(`\n${medianTable(names, runs)}`);
  const best = withinP99 === undefined ? undefined : bestWithin(withinP99, names, runs);
  if (best !== undefined)
    say(`\nbest within p99 ${withinP99} ms: ${best.name} (${best.throughput} ${best.rate}, p99 ${best.p99} ms)`);
  else if (withinP99 !== undefined) say(`\nno setting that lost nothing has a median p99 of at most ${withinP99} ms`);
  await writeJson(flags.json, { best: best ?? null, runs });
}
