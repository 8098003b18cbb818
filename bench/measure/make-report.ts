import { randomUUID } from "node:crypto";
import { cpus, release, totalmem } from "node:os";
import { workloadOf } from "../kit/index.ts";
import type { AuditReport } from "@tally/reconcile";
import type { Status } from "@tally/telemetry";
import type { BenchPlan } from "./bench-plan.ts";
import { commitOf } from "./commit-of.ts";
import { meaningOf } from "./designs/designs.ts";
import { latencyOf, round, spansOf } from "./latency.ts";
import { perMillion } from "./per-million.ts";
import type { PhaseResult } from "./load/load-plan.ts";
import { disturbanceOf, type Readings } from "./machine/disturbance.ts";
import type { System } from "./open-system.ts";
import { verdictOf } from "./verdict.ts";
import type { Drained, Moment } from "./watch/drained.ts";
import type { Followed } from "./watch/follow.ts";
import { eachTier } from "./watch/tiers.ts";
import type { Observation } from "./watch/watch.ts";

/** What was observed of a phase. Times are of performance.now(). */
export interface Seen {
  readonly result: PhaseResult;
  readonly observations: readonly Observation[];
  readonly hops: Status["hops"];
  readonly drained: Drained | undefined;
  readonly startedAt: number;
  readonly clientCpuSeconds: number;
  /** At the first request and when everything was ranked. */
  readonly readings: Readings;
}

/** What is known beyond the load itself. */
interface Around {
  readonly system: Pick<System, "root" | "versions" | "scaled" | "processes">;
  readonly followed: Followed | undefined;
  readonly audit: AuditReport | undefined;
  /** Events that the fill had accepted. */
  readonly filled: number;
}

/** Computes the figures. Reads nothing but the machine and the commit. null: unknown for this design. */
export function makeReport(plan: BenchPlan, seen: Seen, { system, followed, audit, filled }: Around) {
  const { result, observations, drained, startedAt, readings } = seen;
  const { accepted, read, seconds } = result;
  const duringLoad = observations.filter(({ at }) => at <= startedAt + result.sendingSeconds * 1000);
  return {
    runId: randomUUID(),
    at: new Date().toISOString(),
    machine: machine(),
    versions: { node: process.version, ...system.versions },
    commit: commitOf(system.root),
    ...askedOf(plan),
    /** POSTs before the warm-up, stored and ranked and not counted. */
    fill: plan.fill === undefined ? null : { asked: plan.fill, accepted: filled },
    /** From the first request to the last response, but not beyond the last request for responses that never come. */
    seconds: round(seconds, 2),
    /** Requests, retries included. */
    sent: result.sent,
    accepted: { events: accepted, perSecond: round(accepted / seconds, 0) },
    /** Events stored when all accepted events were stored, divided by the time from the first request until then, and
     * at least until the last request. Late or missing responses do not extend it. Known to 100 ms, or to 500 ms when
     * the load ended later. null also when not all was stored. `ranked` is defined likewise. */
    stored: { perSecond: perSecondUntil(drained?.stored, startedAt) },
    ranked: { perSecond: perSecondUntil(drained?.ranked, startedAt) },
    reads: { requests: read, perSecond: round(read / seconds, 0), latencyMs: latencyOf(result.gets) },
    /** From the end of `seconds` until everything was ranked. */
    drainSeconds:
      drained?.ranked === undefined ? null : round(Math.max(0, (drained.ranked.at - startedAt) / 1000 - seconds), 2),
    latencyMs: latencyOf(result.posts),
    /** POSTs and GETs together, as some sources print them. */
    requestsMs: latencyOf(result.posts, result.gets),
    statuses: result.statuses,
    errors: {
      non2xx: responsesOf(result) - accepted - read,
      timeouts: result.timeouts,
      connections: result.connectionErrors,
      unanswered: result.withoutResponse,
      retries: result.retries,
      /** GETs among the requests without a 2xx. */
      ofReads: result.failedReads,
    },
    /** Messages in the domain's two queues during the load. `isFull`: one of them was close to its limit. */
    queue: {
      max: Math.max(0, ...duringLoad.map(({ queued }) => queued)),
      isFull: duringLoad.some(({ fullness }) => fullness >= fullFrom),
    },
    /** Events that were followed, and those not stored or not ranked one minute after they were sent. */
    followed:
      followed === undefined
        ? null
        : { events: followed.events, neverStored: followed.neverStored, neverRanked: followed.neverRanked },
    eventToStoredMs: spansOf(followed?.stored ?? []),
    eventToRankedMs: spansOf(followed?.ranked ?? []),
    /** Where batches waited in the last 10 s of the load, at all gateways, writers and rankers. */
    hops: seen.hops,
    cpuUsPerEvent: cpuOf(seen, accepted + read),
    /** The maximum seen, of all processes of a tier together. */
    memoryMiB: eachTier((tier) => Math.round(Math.max(...observations.map(({ tiers }) => tiers[tier].memoryMiB)))),
    client: clientOf(result),
    // Containers are not descendants of the bench.
    disturbance: disturbanceOf(readings, [process.pid, ...system.processes.flatMap(({ pid }) => pid ?? [])]),
    littlesLaw: littlesLaw(plan, result, (accepted + read) / seconds),
    ...verdictOf(plan.design, plan.domain, audit),
    /** For a source's run: when each group of connections began and ended, in seconds. */
    groups: result.groups.map(({ begun, ended, ...group }) => ({
      ...group,
      begun: round(begun, 2),
      ended: round(ended, 2),
    })),
    /** How many gateways ran from when on, in seconds of the load. Absent in designs that do not scale. */
    scaled: scaledFrom(startedAt, system.scaled),
    perSecond: result.perSecond,
    perMillion: perMillion(seen),
  };
}

function scaledFrom(startedAt: number, changes: System["scaled"]) {
  return changes?.map(({ at, gateways }) => ({ seconds: round(Math.max(0, at - startedAt) / 1000, 0), gateways }));
}

function askedOf(plan: BenchPlan) {
  const { phase, build, design, domain } = plan;
  const isSource = phase.model === "source";
  return {
    repeat: plan.repeat,
    // A build has its commit, so that it is not taken for a run of this checkout.
    design: build === undefined ? design : `${design}@${build.commit.slice(0, 7)}`,
    durability: plan.durability,
    meaning: meaningOf(design, plan.durability),
    domain,
    model: phase.model,
    source: sourceOf(plan),
    offeredPerSecond: phase.model === "open" ? phase.perSecond : null,
    /** The length of the load. null for a source, as the warm-up: it has its own or none. */
    asked: isSource ? null : phase.until,
    warmUpSeconds: isSource ? null : plan.warmUpSeconds,
    connections: plan.connections,
    clientThreads: plan.clientThreads,
    gateways: plan.gateways,
    settings: plan.settings,
    seed: plan.seed,
    spread: plan.spread,
    readShare: plan.readShare,
    contentBytes: plan.contentBytes ?? null,
  };
}

/** The run's number counts from 1. */
function sourceOf({ domain, phase }: BenchPlan) {
  const { source } = workloadOf(domain);
  if (phase.model !== "source" || source === undefined) return null;
  const { run, scale } = phase;
  const description = source.runs[run]?.description ?? "";
  return { name: source.name, run: run + 1, runs: source.runs.length, description, scale };
}

/** CPU time in µs for each accepted event and each read, until everything was ranked. `total` is without the client. */
function cpuOf({ observations, drained, clientCpuSeconds }: Seen, events: number) {
  const first = observations[0];
  const last = observations.find(({ at }) => at >= (drained?.ranked?.at ?? Infinity)) ?? observations.at(-1);
  const used = eachTier((tier) => (last?.tiers[tier].cpuSeconds ?? 0) - (first?.tiers[tier].cpuSeconds ?? 0));
  const total = Object.values(used).reduce((sum, one) => sum + one, 0);
  const each = (seconds: number) => (events === 0 ? null : round((seconds * 1e6) / events, 1));
  return { ...eachTier((tier) => each(used[tier])), client: each(clientCpuSeconds), total: each(total) };
}

function perSecondUntil(moment: Moment | undefined, startedAt: number): number | null {
  return moment === undefined ? null : round((moment.events * 1000) / (moment.at - startedAt), 0);
}

// A queue rejects messages at its limit.
const fullFrom = 0.9;

function clientOf(result: PhaseResult) {
  const { busy, delayP99 } = result.client;
  const isLimit = isClientLimit(result.client, latencyOf(result.posts, result.gets)?.p99 ?? Infinity);
  return { busy: round(busy, 3), delayP99Ms: round(delayP99, 1), isLimit };
}

/** Whether the client was the bottleneck: it was never idle, or its p99 delay is above half of the requests' p99. */
export function isClientLimit({ busy, delayP99 }: PhaseResult["client"], p99Ms: number): boolean {
  return busy > 0.95 || delayP99 > p99Ms / 2;
}

/** By Little's law. A request without a 2xx occupied a connection too, but its time is not in the mean. */
function littlesLaw({ connections }: BenchPlan, result: PhaseResult, perSecond: number) {
  const latency = latencyOf(result.posts, result.gets);
  const failed = responsesOf(result) - result.accepted - result.read + result.connectionErrors;
  if (latency === null || failed > 0) return { expectedPerSecond: null, errorPercent: null };
  const expected = connections / (latency.mean / 1000);
  return { expectedPerSecond: round(expected, 0), errorPercent: round((perSecond / expected - 1) * 100, 1) };
}

function responsesOf({ statuses }: PhaseResult): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, 0);
}

function machine(): string {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`;
}
