import { workloadOf } from "@tally/domains/workloads";
import type { BenchPlan } from "./bench-plan.ts";
import { durabilityOf, meaningOf } from "./designs/designs.ts";
import { repeatOf } from "./repeat.ts";
import type { Report } from "./report.ts";

/** The report's copy of the request, complete enough to repeat the run. */
export function askedOf(plan: BenchPlan) {
  const { phase, target } = plan;
  return {
    mode: modeOf(plan),
    repeat: repeatOf(plan),
    design: designIn(plan),
    durability: target === undefined ? durabilityOf(plan.design, plan.durability) : "unknown",
    meaning: target === undefined ? meaningOf(plan.design, plan.durability) : "unknown",
    target: target ?? null,
    domain: plan.domain,
    model: phase.model,
    source: sourceOf(plan),
    offeredPerSecond: phase.model === "open" ? phase.perSecond : null,
    asked: lastingOf(plan),
    warmUpSeconds: phase.model === "source" ? null : plan.warmUpSeconds,
    connections: plan.connections,
    clientThreads: plan.clientThreads,
    gateways: target === undefined ? plan.gateways : null,
    settings: plan.settings,
    seed: plan.seed,
    spread: plan.spread,
    readShare: plan.readShare,
    contentBytes: plan.contentBytes ?? null,
  } satisfies Partial<Report>;
}

/** Of a build with its commit, so that it is not taken for a run of this checkout. */
function designIn({ target, design, build }: BenchPlan): string {
  if (target !== undefined) return "unknown";
  return build === undefined ? design : `${design}@${build.commit.slice(0, 7)}`;
}

function modeOf({ target, settings }: BenchPlan): string {
  if (target !== undefined) return `a running system, ${target}`;
  const changed = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return ["production, a fresh system on this machine", ...changed].join(", ");
}

function sourceOf({ domain, phase }: BenchPlan): Report["source"] {
  const { source } = workloadOf(domain);
  if (phase.model !== "source" || source === undefined) return null;
  const { run, scale } = phase;
  return {
    name: source.name,
    run: run + 1,
    runs: source.runs.length,
    description: source.runs[run]?.description ?? "",
    scale,
  };
}

function lastingOf({ phase }: BenchPlan): Report["asked"] {
  if (phase.model === "source") return null;
  const { until } = phase;
  return until.name === "amount" ? { amount: until.amount } : { seconds: until.seconds };
}
