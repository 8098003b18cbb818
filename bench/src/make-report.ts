import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpus, release, totalmem } from "node:os";
import type { AuditReport } from "@tally/reconcile";
import type { BenchPlan } from "./bench-plan.ts";
import { designOf } from "./designs/designs.ts";
import { distributionOf, latencyOf, latencyOfAll, spansOf } from "./latency.ts";
import type { PhaseResult } from "./load/load-plan.ts";
import type { Stack } from "./open-stack.ts";
import type { Report } from "./report.ts";
import { round } from "./round.ts";
import type { Drained } from "./watch/drained.ts";
import type { Followed } from "./watch/follow.ts";
import { cpuBetween, memoryOf, verdictOf, type Look } from "./watch/watch.ts";

/** What was seen of a run. */
export interface Seen {
  readonly stack: Stack | undefined;
  readonly result: PhaseResult;
  readonly looks: readonly Look[];
  readonly followed: Followed;
  readonly audit: AuditReport | undefined;
  readonly startedAt: number;
  readonly loadEndedAt: number;
  readonly drained: Drained | undefined;
  readonly clientCpuSeconds: number;
}

/** Figures from what was seen; reads nothing but the machine and the commit. */
export function makeReport(plan: BenchPlan, seen: Seen): Report {
  const { result, looks, drained } = seen;
  const { accepted, seconds } = result;
  const { stores } = designOf(plan.design);
  const perSecondUntil = (at: number | undefined): number | null =>
    at === undefined || stores === "nobody"
      ? null
      : round(accepted / Math.max(seconds, (at - seen.startedAt) / 1000), 0);
  const posts = latencyOf(result.posts);
  const gets = latencyOf(result.gets);
  const [first, last] = [looks[0], looks.at(-1)];
  const used = first === undefined || last === undefined ? undefined : cpuBetween(first, last);
  const events = accepted + result.read;
  const each = (cpuSeconds: number): number => round((cpuSeconds * 1e6) / Math.max(1, events), 1);
  const depths = looks.filter(({ at }) => at * 1000 <= seen.loadEndedAt).map(({ queued }) => queued);
  const throughput = events / seconds;
  const all = latencyOfAll(result);
  const expected = plan.connections / (all.mean / 1000);
  const answered = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  return {
    runId: randomUUID(),
    at: new Date().toISOString(),
    machine: machine(),
    versions: { node: process.version, ...seen.stack?.versions },
    commit: commitOf(plan.root),
    mode: modeOf(plan),
    design: plan.design,
    durability: plan.durability,
    target: plan.target ?? null,
    domain: plan.domain,
    model: plan.phase.model,
    offeredPerSecond: plan.phase.model === "open" ? plan.phase.perSecond : null,
    connections: plan.connections,
    gateways: plan.gateways,
    seed: plan.seed,
    spread: plan.spread,
    readShare: plan.readShare,
    seconds: round(seconds, 2),
    accepted: { events: accepted, perSecond: round(accepted / seconds, 0) },
    stored: { perSecond: perSecondUntil(drained?.stored) },
    ranked: { perSecond: perSecondUntil(drained?.ranked) },
    reads: { requests: result.read, perSecond: round(result.read / seconds, 0), latencyMs: gets },
    drainSeconds: drained === undefined ? null : round(Math.max(0, drained.ranked - seen.loadEndedAt) / 1000, 2),
    latencyMs: posts,
    statuses: result.statuses,
    errors: {
      non2xx: answered - accepted - result.read,
      timeouts: result.timeouts,
      connections: result.connectionErrors,
      unanswered: result.unanswered,
      retries: result.retries,
    },
    queue: { max: Math.max(0, ...depths), verdict: depths.length === 0 ? null : verdictOf(depths) },
    eventToStoredMs: spansOf(seen.followed.stored),
    eventToRankedMs: spansOf(seen.followed.ranked),
    cpuUsPerEvent: {
      gateway: each(used?.gateway ?? 0),
      writer: each(used?.writer ?? 0),
      ranker: each(used?.ranker ?? 0),
      broker: each(used?.broker ?? 0),
      database: each(used?.database ?? 0),
      redis: each(used?.redis ?? 0),
      client: each(seen.clientCpuSeconds),
      total: each(used === undefined ? 0 : Object.values(used).reduce((sum, value) => sum + value, 0)),
    },
    memoryMiB: memoryOf(looks),
    client: {
      busy: round(result.client.busy, 3),
      delayP99Ms: round(result.client.delayP99, 1),
      isLimit: result.client.busy > 0.95,
    },
    littlesLaw: {
      expectedPerSecond: round(expected, 0),
      errorPercent: !isSteady(plan, result) ? null : round(((throughput - expected) / expected) * 100, 2),
    },
    audit: seen.audit?.audit ?? null,
    agrees: seen.audit?.agrees ?? null,
    boardsHash: seen.audit?.domains.find((one) => one.domain === plan.domain)?.boards.hash ?? null,
    groups: result.groups.map(({ begun, ended, ...group }) => ({
      ...group,
      begun: round(begun, 2),
      ended: round(ended, 2),
    })),
    perSecond: result.perSecond,
    looks: looks.map(({ at, queued, stored, tiers }) => ({
      second: round(at - seen.startedAt / 1000, 1),
      queued,
      stored: stored - (first?.stored ?? 0),
      cpuSeconds: Object.fromEntries([...tiers].map(([tier, { cpuSeconds }]) => [tier, round(cpuSeconds, 2)])),
    })),
    histogram: distributionOf(result.posts),
  };
}

/** Whether as many connections are open from the beginning to the end. */
function isSteady({ phase }: BenchPlan, { groups }: PhaseResult): boolean {
  return phase.model === "closed" || (phase.model === "source" && groups.length === 1);
}

function modeOf({ target, settings }: BenchPlan): string {
  if (target !== undefined) return `a running system, ${target}`;
  const changed = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return ["production, a fresh stack on this machine", ...changed].join(", ");
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
    return "unknown"; // no checkout of git
  }
}
