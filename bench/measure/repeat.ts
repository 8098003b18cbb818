import { workloadOf } from "@tally/domains/workloads";
import type { BenchPlan } from "./bench-plan.ts";

/** The command that repeats the run, or all runs of its source. It names defaults too, because they may change. */
export function repeatOf(plan: BenchPlan): string {
  const { build, phase } = plan;
  // The seed is a flag of the program, which stands before the subcommand.
  if (phase.model === "source" && sourceRunOf(plan)?.isExtra === true)
    return `pnpm bench --seed ${plan.seed} sources ${workloadOf(plan.domain).source?.name} --scale-of-others ${phase.scale}`;
  const own = plan.target === undefined && build === undefined;
  const flags: readonly (readonly [name: string, value: string | number | undefined])[] = [
    ...flagsOfLoad(plan),
    ["--seed", plan.seed],
    ["--gateways", own ? plan.gateways : undefined],
    ["--design", own ? plan.design : undefined],
    ["--durability", own ? plan.durability : undefined],
    ...Object.entries(plan.settings).map(([name, value]) => ["--set", `${name}=${value}`] as const),
    ["--target", plan.target],
  ];
  const words = flags.flatMap(([name, value]) => (value === undefined ? [] : [name, quoted(String(value))]));
  const compared = build === undefined ? [] : ["compare", `${plan.design}@${build.commit}`, "--rounds", "1"];
  return ["pnpm", "bench", ...compared, ...words, ...(plan.spread === "zipf" ? ["--zipf"] : [])].join(" ");
}

function sourceRunOf({ domain, phase }: BenchPlan) {
  return phase.model === "source" ? workloadOf(domain).source?.runs[phase.run] : undefined;
}

function flagsOfLoad(plan: BenchPlan): readonly (readonly [name: string, value: string | number | undefined])[] {
  const { phase } = plan;
  if (phase.model === "source") {
    return [
      ["--source", workloadOf(plan.domain).source?.name],
      ["--scale", phase.scale],
    ];
  }
  const { until } = phase;
  return [
    ["--domain", plan.domain],
    ["--connections", plan.connections],
    until.name === "amount" ? ["--amount", until.amount] : ["--duration", until.seconds],
    ["--fill", plan.fill],
    ["--warm-up", until.name === "amount" ? undefined : plan.warmUpSeconds],
    ["--rate", phase.model === "open" ? phase.perSecond : undefined],
    ["--mix", plan.readShare],
    ["--content-bytes", plan.contentBytes],
    ["--client-threads", plan.clientThreads],
  ];
}

/** Quotes a word for a shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
