import { cpus } from "node:os";
import { quantile } from "../../kit/index.ts";
import { number, numberFlag, wholeNumber } from "@tally/runtime/flag-values";
import { Command } from "commander";
import type { BenchPlan } from "../bench-plan.ts";
import { root } from "../command/flags.ts";
import { progressBar } from "../command/progress-bar.ts";
import { reportFailure } from "../command/report-failure.ts";
import { say } from "../command/say.ts";
import { turns } from "../compare-designs.ts";
import { isGood, type Report } from "../report.ts";
import { runBench } from "../run-bench.ts";
import { limitOf } from "./model.ts";

/*
 * What two processes of each app gain over one, beside what the model of docs/scale.md predicts. On a machine with few cores every process of
 * an app gets a share of a core, as if it ran on a small machine; servers and client use what is left.
 */

interface Flags {
  readonly share: number;
  readonly processes: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly connections: number;
  readonly rounds: number;
}

const program = new Command("scale-out")
  .description("measures 1 and several processes of each app in turns, each process with the same share of a core")
  .option(
    "--share <share>",
    "share of a core for each process, 0.1 to 1; needs root and cgroups",
    numberFlag("a number from 0.1 to 1", (value) => value >= 0.1 && value <= 1),
    0.25,
  )
  .option("--processes <number>", "processes of each app, compared with 1", wholeNumber, 2)
  .option("--seconds <seconds>", "length of each measured load", number, 20)
  .option("--warm-up <seconds>", "load before it, not counted", number, 20)
  .option("--connections <number>", "number of connections", wholeNumber, 512)
  .option("--rounds <number>", "runs of each", wholeNumber, 2);
program.parse();
await reportFailure((signal) => compare(program.opts<Flags>(), signal));

async function compare(flags: Flags, signal: AbortSignal): Promise<void> {
  const counts = [1, flags.processes];
  const runs: { readonly processes: number; readonly report: Report }[] = [];
  for (const processes of turns(counts, flags.rounds)) {
    say(`${processes} × gateway, writer and ranker, each with ${flags.share} of a core`);
    const report = await runBench(planOf(flags, processes, signal));
    if (!isGood(report)) process.exitCode = 1;
    runs.push({ processes, report });
    say(lineOf(flags, processes, report));
  }
  const median = (processes: number, of: (report: Report) => number): number =>
    quantile(
      runs.flatMap((run) => (run.processes === processes ? of(run.report) : [])),
      0.5,
    );
  const rate = (processes: number): number => median(processes, rateOf);
  // The model knows the runs of one process only.
  const cpuUs = (tier: keyof Report["cpuUsPerEvent"]): number =>
    median(1, ({ cpuUsPerEvent }) => cpuUsPerEvent[tier] ?? 0);
  const measuredUs = {
    gateway: cpuUs("gateway"),
    writer: cpuUs("writer"),
    ranker: cpuUs("ranker"),
    broker: cpuUs("broker"),
    database: cpuUs("database"),
    redis: cpuUs("redis"),
    client: cpuUs("client"),
  };
  const [one, several] = counts.map((processes) => limitOf({ ...capacityOf(flags), processes }, measuredUs));
  if (one === undefined || several === undefined) return;
  const gain = (from: number, to: number): string => (to / from).toFixed(2);
  say(
    `gain of ${flags.processes} processes over 1: measured ${gain(rate(1), rate(flags.processes))}, ` +
      `model ${gain(one.perSecond, several.perSecond)} (limited by ${one.by}, then by ${several.by})`,
  );
}

function capacityOf({ share }: Flags) {
  return { share, cores: cpus().length };
}

/** Events a second until all are ranked. */
function rateOf({ ranked, accepted }: Report): number {
  return ranked.perSecond ?? accepted.perSecond;
}

function lineOf(flags: Flags, processes: number, report: Report): string {
  const { cpuUsPerEvent: us, cpuSeconds, audit, agrees } = report;
  const { perSecond, by } = limitOf({ ...capacityOf(flags), processes }, us);
  const gatewayUse = (cpuSeconds.gateway ?? 0) / (processes * flags.share * report.seconds);
  return [
    `  ranked ${rateOf(report)}/s, p99 ${report.latencyMs?.p99 ?? "-"} ms; model ${Math.round(perSecond)}/s by ${by}, with this run's CPU times`,
    `  µs for each event: gateway ${us.gateway}, writer ${us.writer}, ranker ${us.ranker}, all tiers ${us.total}, client ${us.client}`,
    `  the gateways used ${Math.round(gatewayUse * 100)} % of their shares; lost ${audit?.lost}, doubled ${audit?.doubled}, agrees ${agrees}`,
  ].join("\n");
}

function planOf(flags: Flags, processes: number, signal: AbortSignal): BenchPlan {
  return {
    root,
    domain: "purchases",
    connections: flags.connections,
    seed: 1,
    spread: "wide",
    readShare: 0,
    responseWithinMs: 10_000,
    design: "batched",
    durability: "confirmed",
    gateways: processes,
    workers: processes,
    appShare: flags.share,
    clientThreads: 1,
    fill: undefined,
    warmUpSeconds: flags.warmUp,
    phase: { model: "closed", until: { name: "seconds", seconds: flags.seconds } },
    settings: {},
    target: undefined,
    say: () => undefined,
    ...progressBar(),
    signal,
  };
}
