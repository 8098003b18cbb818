import { randomUUID } from "node:crypto";
import { cpus, release, totalmem } from "node:os";
import type { AuditReport } from "@tally/reconcile";
import { askedOf } from "./asked-of.ts";
import type { BenchPlan } from "./bench-plan.ts";
import { commitOf } from "./commit-of.ts";
import { cpuOf } from "./cpu-of.ts";
import { designOf } from "./designs/designs.ts";
import { figuresOfGroup, figuresOfLoad } from "./phase-figures.ts";
import { cdfOf, distributionOf, latencyOf, latencyOfAll, round, spansOf } from "./latency.ts";
import type { PhaseResult } from "./load/load-plan.ts";
import type { System } from "./open-system.ts";
import { disturbanceOf, type MachineSeen } from "./machine/disturbance.ts";
import { phaseTimes } from "./phase-times.ts";
import type { EarlierLoad, Observed, Report } from "./report.ts";
import { verdictOf } from "./verdict.ts";
import type { Drained, Moment } from "./watch/drained.ts";
import type { Followed } from "./watch/follow.ts";
import type { Hop } from "./watch/hops.ts";
import { queueVerdictOf } from "./watch/queue-verdict.ts";
import { eachTier } from "./watch/tiers.ts";
import type { Observation } from "./watch/watch.ts";

/** What was observed of a phase. Times are of performance.now(). */
export interface Seen {
  readonly result: PhaseResult;
  readonly hops: readonly Hop[];
  readonly observations: readonly Observation[];
  readonly drained: Drained | undefined;
  readonly startedAt: number;
  readonly clientCpuSeconds: number;
  /** At the first request and when everything was ranked. */
  readonly readings: MachineSeen["readings"];
}

/** What is known beyond the load itself. */
export interface Around {
  /** The loads before the measured one, in order. */
  readonly earlier: readonly { readonly name: "fill" | "warm-up"; readonly seen: Seen }[];
  readonly system: System | undefined;
  readonly roots: MachineSeen["roots"];
  readonly followed: Followed | undefined;
  readonly subscriber?: Report["subscriber"];
  readonly audit: AuditReport | undefined;
  /** Events that the fill had accepted. */
  readonly filled: number;
  readonly calibrationNs: MachineSeen["calibrationNs"];
}

/** Computes the figures. Reads nothing but the machine and the commit. */
export function makeReport(plan: BenchPlan, seen: Seen, around: Around): Report {
  const { earlier, system, roots, followed, subscriber, audit, filled, calibrationNs } = around;
  const { result, observations, drained, startedAt } = seen;
  const { accepted, seconds } = result;
  const events = accepted + result.read;
  const first = observations[0];
  return {
    runId: randomUUID(),
    at: new Date().toISOString(),
    machine: machine(),
    versions: { node: process.version, ...system?.versions },
    commit: commitOf(system?.root ?? plan.root),
    ...askedOf(plan),
    fill: plan.fill === undefined ? null : { asked: plan.fill, accepted: filled },
    seconds: round(seconds, 2),
    sent: result.sent,
    accepted: { events: accepted, perSecond: round(accepted / seconds, 0) },
    stored: { perSecond: perSecondUntil(drained?.stored, startedAt) },
    ranked: { perSecond: perSecondUntil(drained?.ranked, startedAt) },
    reads: {
      requests: result.read,
      perSecond: round(result.read / seconds, 0),
      latencyMs: latencyOf(result.gets),
    },
    drainSeconds:
      drained?.ranked === undefined ? null : round(Math.max(0, (drained.ranked.at - startedAt) / 1000 - seconds), 2),
    latencyMs: latencyOf(result.posts),
    requestsMs: latencyOfAll(result),
    statuses: result.statuses,
    errors: {
      non2xx: Object.values(result.statuses).reduce((sum, count) => sum + count, 0) - events,
      timeouts: result.timeouts,
      connections: result.connectionErrors,
      unanswered: result.withoutResponse,
      retries: result.retries,
      ofReads: result.failedReads,
    },
    queue: queueOf(observations.filter(({ at }) => at <= startedAt + result.sendingSeconds * 1000)),
    followed: followed === undefined ? null : pick(followed),
    ...(subscriber !== undefined && { subscriber }),
    eventToStoredMs: spansOf(followed?.stored ?? []),
    eventToRankedMs: spansOf(followed?.ranked ?? []),
    hops: seen.hops,
    ...cpuOf(seen, events),
    memoryMiB: eachTier((tier) =>
      first === undefined ? null : Math.round(Math.max(...observations.map(({ tiers }) => tiers[tier].memoryMiB))),
    ),
    client: clientOf(result),
    disturbance: disturbanceOf({
      readings: seen.readings,
      roots,
      calibrationNs,
    }),
    littlesLaw: figuresOfLoad(result, plan.connections, isSteady(plan, result)).littlesLaw,
    ...verdictOf(plan.design, plan.domain, audit),
    groups: result.groups.map((group) => ({
      name: group.name,
      connections: group.connections,
      begun: round(group.begun, 2),
      ended: round(group.ended, 2),
      figures: figuresOfGroup(group),
    })),
    phases: phasesOf(plan, seen, earlier),
    before: earlier.map(({ seen: before }) => earlierLoad(plan, before, seen)),
    perSecond: result.perSecond,
    observations: observations.map((one) => observed(plan, one, seen)),
    histogram: distributionOf(result.posts),
    cdf: cdfOf(result),
    requestLog: logOf(plan, result),
  };
}

function earlierLoad(plan: BenchPlan, { result, observations, startedAt }: Seen, measured: Seen): EarlierLoad {
  return {
    begun: round((startedAt - measured.startedAt) / 1000, 2),
    perSecond: result.perSecond,
    observations: observations.map((one) => observed(plan, one, measured)),
  };
}

function observed(plan: BenchPlan, one: Observation, measured: Seen): Observed {
  const { at, queued, stored, tiers } = one;
  const cores = (value: number | null): number | null => (value === null ? null : round(value, 3));
  return {
    second: round((at - measured.startedAt) / 1000, 1),
    queued,
    // From the writer's counter, which stays 0 where the gateway stores.
    stored: designOf(plan.design).stores === "writer" ? stored - (measured.observations[0]?.stored ?? 0) : null,
    cpuSeconds: eachTier((tier) => round(tiers[tier].cpuSeconds, 2)),
    foreignCores: cores(one.foreignCores),
    stealCores: cores(one.stealCores),
  };
}

// Opening hundreds of connections takes this long at most.
const atOnceSeconds = 0.5;

/** Whether the number of open connections is constant. */
function isSteady({ phase }: BenchPlan, { groups }: PhaseResult): boolean {
  return phase.model === "closed" || (phase.model === "source" && groups.every(({ begun }) => begun < atOnceSeconds));
}

function perSecondUntil(moment: Moment | undefined, startedAt: number): number | null {
  return moment === undefined ? null : round((moment.events * 1000) / (moment.at - startedAt), 0);
}

function queueOf(observations: readonly Observation[]): Report["queue"] {
  return {
    max: observations.length === 0 ? null : Math.max(...observations.map(({ queued }) => queued)),
    verdict: queueVerdictOf(observations),
  };
}

function pick({ events, neverStored, neverRanked }: Followed): Report["followed"] {
  return { events, neverStored, neverRanked };
}

function clientOf(result: PhaseResult): Report["client"] {
  const { busy, delayP99 } = result.client;
  return {
    busy: round(busy, 3),
    delayP99Ms: round(delayP99, 1),
    isLimit: isClientLimit(result.client, latencyOfAll(result)?.p99 ?? Infinity),
  };
}

/** Whether the client was the bottleneck: it was never idle, or its p99 delay is above half of the requests' p99. */
export function isClientLimit({ busy, delayP99 }: PhaseResult["client"], p99Ms: number): boolean {
  return busy > 0.95 || delayP99 > p99Ms / 2;
}

function phasesOf(plan: BenchPlan, seen: Seen, earlier: Around["earlier"]): Report["phases"] {
  const loads = [...earlier, { name: "measured" as const, seen }];
  return phaseTimes(loads, seen.startedAt).map(({ name, begun, ended }) => {
    const load = loads.find((one) => one.name === name);
    if (load === undefined) return { name, begun, ended };
    const { result } = load.seen;
    const isFill = name === "fill";
    const connections = isFill ? Math.min(plan.connections, plan.fill ?? 0) : plan.connections;
    const figures = figuresOfLoad(result, connections, isFill || isSteady(plan, result));
    return { name, begun, ended, figures };
  });
}

function logOf(
  { requestsCsv: file }: BenchPlan,
  { requestLog }: PhaseResult,
): NonNullable<Report["requestLog"]> | null {
  return file === undefined || requestLog === undefined ? null : { file, ...requestLog };
}

function machine(): string {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`;
}
