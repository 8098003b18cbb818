import { orderOfRound, throughputs } from "../figures.ts";
import { isGood } from "../report.ts";
import { runBench } from "../run-bench.ts";
import { keepReport, makeResults, writeJson } from "../stored-reports.ts";
import {
  bestSetting,
  choiceOf,
  nameOf,
  pointsOf,
  settingsOf,
  type Point,
  type Swept,
  resultOf,
  tableOf,
  type Turn,
} from "../sweep/sweep.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { say, type Flags, type OutputFlags } from "./flags.ts";
import { planOf } from "./plan-of.ts";

/** The flags of `sweep`. */
export interface SweepFlags extends Omit<Flags, keyof Swept>, Swept, OutputFlags {
  readonly rounds: number;
  readonly withinP99?: number;
  readonly within: number;
}

/** Runs a load with each combination of values, stores every run, and prints a table. */
export async function runSweep(flags: SweepFlags, signal: AbortSignal): Promise<void> {
  const { rounds, withinP99, within, results } = flags;
  const { dimensions, fixed } = settingsOf(flags);
  const planAt = (point: Point) => {
    const chosen = dimensions.map(({ name }, index) => ({ name, value: point[index] ?? "" }));
    const all = [...fixed.map(({ name, values }) => ({ name, value: values[0] ?? "" })), ...chosen];
    const valueOf = (flag: string): number => Number(all.find(({ name }) => name === flag)?.value);
    const set = all.filter(({ name }) => !flagNames.has(name)).map(({ name, value }) => `${name}=${value}`);
    const own = { ...flags, connections: valueOf("connections"), gateways: valueOf("gateways"), set };
    return { point, plan: { ...planOf(own, signal), say: () => undefined } };
  };
  if (flags.target !== undefined && dimensions.some(({ name }) => name !== "connections"))
    throw new WrongUsage("--target: a running system keeps its settings; only --connections can have several values");
  // All plans before the first run, so that an error in the last is reported at once.
  const plans = pointsOf(dimensions).map(planAt);
  await makeResults(results);
  const turns: Turn[] = [];
  for (let round = 0; round < rounds; round++)
    for (const { point, plan } of orderOfRound(plans, round)) {
      const report = await runBench(plan);
      if (!isGood(report)) process.exitCode = 1;
      await keepReport(report, results);
      turns.push({ round, point, report });
      const rate = throughputs.map(({ name, of }) => ({ name, value: of(report) })).find(({ value }) => value !== null);
      const p99 = (report.latencyMs ?? report.reads.latencyMs)?.p99.toFixed(1) ?? "unknown";
      say(
        `round ${round + 1} of ${rounds}, ${nameOf(dimensions, point)}: ${rate?.name ?? "accepted /s"} ${rate?.value ?? 0}, p99 ${p99} ms`,
      );
    }
  const result = resultOf(dimensions, turns);
  say(`\n${tableOf(result)}`);
  const limits = withinP99 === undefined ? undefined : { withinP99Ms: withinP99, within };
  if (limits !== undefined) say(`\n${choiceOf(result, limits)}`);
  const best = limits && { ...limits, point: bestSetting(result, limits)?.chosen.point ?? null };
  await writeJson(flags.json, { at: new Date().toISOString(), flags, ...result, ...(best && { best }) });
}

const flagNames: ReadonlySet<string> = new Set(["connections", "gateways"]);
