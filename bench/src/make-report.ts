import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpus, release, totalmem } from "node:os";
import type { AuditReport } from "@tally/reconcile";
import { askedOf } from "./asked-of.ts";
import type { BenchPlan } from "./bench-plan.ts";
import { cpuOf } from "./cpu-of.ts";
import { designOf } from "./designs/designs.ts";
import { distributionOf, latencyOf, latencyOfAll, round, spansOf } from "./latency.ts";
import type { PhaseResult } from "./load/load-plan.ts";
import type { System } from "./open-system.ts";
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
}

/** What is known beyond the load itself. */
interface Around {
  /** The loads before the measured one, in order. */
  readonly earlier: readonly { readonly name: "fill" | "warm-up"; readonly seen: Seen }[];
  readonly system: System | undefined;
  readonly followed: Followed | undefined;
  readonly audit: AuditReport | undefined;
  /** Events that the fill had accepted. */
  readonly filled: number;
}

/** Computes the figures. Reads nothing but the machine and the commit. */
export function makeReport(plan: BenchPlan, seen: Seen, around: Around): Report {
  const { earlier, system, followed, audit, filled } = around;
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
    eventToStoredMs: spansOf(followed?.stored ?? []),
    eventToRankedMs: spansOf(followed?.ranked ?? []),
    hops: seen.hops,
    ...cpuOf(seen, events),
    memoryMiB: eachTier((tier) =>
      first === undefined ? null : Math.round(Math.max(...observations.map(({ tiers }) => tiers[tier].memoryMiB))),
    ),
    client: clientOf(result),
    littlesLaw: littlesLawOf(plan, result),
    ...verdictOf(plan.design, plan.domain, audit),
    groups: result.groups.map(({ begun, ended, ...group }) => ({
      ...group,
      begun: round(begun, 2),
      ended: round(ended, 2),
    })),
    phases: phaseTimes([...earlier, { name: "measured", seen }], startedAt),
    before: earlier.map(({ seen: before }) => earlierLoad(plan, before, seen)),
    perSecond: result.perSecond,
    observations: observations.map((one) => observed(plan, one, seen)),
    histogram: distributionOf(result.posts),
  };
}

function earlierLoad(plan: BenchPlan, { result, observations, startedAt }: Seen, measured: Seen): EarlierLoad {
  return {
    begun: round((startedAt - measured.startedAt) / 1000, 2),
    perSecond: result.perSecond,
    observations: observations.map((one) => observed(plan, one, measured)),
  };
}

function observed(plan: BenchPlan, { at, queued, stored, tiers }: Observation, measured: Seen): Observed {
  return {
    second: round((at - measured.startedAt) / 1000, 1),
    queued,
    // From the writer's counter, which stays 0 where the gateway stores.
    stored: designOf(plan.design).stores === "writer" ? stored - (measured.observations[0]?.stored ?? 0) : null,
    cpuSeconds: eachTier((tier) => round(tiers[tier].cpuSeconds, 2)),
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

function littlesLawOf(plan: BenchPlan, result: PhaseResult): Report["littlesLaw"] {
  const mean = latencyOfAll(result)?.mean;
  const responses = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  // A request without a 2xx occupied a connection too, but its time is not in the mean.
  const isWhole = responses === result.accepted + result.read && result.connectionErrors === 0;
  if (mean === undefined || !isWhole) return { expectedPerSecond: null, errorPercent: null };
  const expected = plan.connections / (mean / 1000);
  // The requests whose times are in the mean.
  const measured = (result.accepted + result.read + result.timeouts) / result.seconds;
  return {
    expectedPerSecond: round(expected, 0),
    errorPercent: isSteady(plan, result) ? round(((measured - expected) / expected) * 100, 2) : null,
  };
}

function machine(): string {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`;
}

function commitOf(root: string): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return git("rev-parse", "--short", "HEAD") + (git("status", "--porcelain") === "" ? "" : " with changes");
  } catch {
    return "unknown"; // not a git checkout
  }
}
