import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runTally } from "@tally/local";
import type { AuditReport } from "@tally/reconcile";
import { decodeFromCompressedBase64 } from "hdr-histogram-js";
import { designOf, type DesignName, type Durability } from "./designs/designs.ts";
import type { LoadPlan, Phase, PhaseResult } from "./load/load-plan.ts";
import { startLoad, type Load } from "./load/start-load.ts";
import { openStack, type Stack } from "./open-stack.ts";
import type { Latency, Report, Spans } from "./report.ts";
import { Follower, type Followed } from "./watch/follow.ts";
import { sumOfMetric } from "./watch/metrics.ts";
import { cpuBetween, memoryOf, verdictOf, Watch, type Look } from "./watch/watch.ts";

export interface BenchPlan extends Omit<LoadPlan, "urls"> {
  readonly root: string;
  readonly design: DesignName;
  readonly durability: Durability;
  readonly gateways: number;
  readonly clientThreads: number;
  /** Not of a source's run: those had none. */
  readonly warmUpSeconds: number;
  readonly phase: Phase;
  /** For the apps, beside what the design sets. */
  readonly settings: NodeJS.ProcessEnv;
  /** A system that runs somewhere; undefined: one of our own. */
  readonly target: string | undefined;
  readonly say: (line: string) => void;
  /** Told once a second while the load runs. */
  readonly onProgress: (figures: { readonly seconds: number; readonly done: number }) => void;
  readonly onLoadEnded: () => void;
  readonly signal: AbortSignal;
}

const drainWithinMs = 300_000;

/** One run on a fresh stack, or on a running system: warm-up, drain, load, drain, audit. */
export async function runBench(plan: BenchPlan): Promise<Report> {
  const directory = join(plan.root, ".tally", `bench-${process.pid}`);
  await rm(directory, { recursive: true, force: true });
  if (plan.target !== undefined) return unlessAborted(plan.signal, measure(plan, plan.target, undefined, undefined));
  const stack = await openStack({ ...plan, directory });
  try {
    const idsFile = join(directory, "acknowledged");
    return await unlessAborted(plan.signal, measure(plan, stack.urls[0] ?? "", stack, idsFile));
  } finally {
    await stack.close();
  }
}

/** Rejects at once when it is aborted; what is under way then ends with the process. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** `idsFile` takes what was acknowledged, for the audit of our own stack. */
async function measure(
  plan: BenchPlan,
  url: string,
  stack: Stack | undefined,
  idsFile: string | undefined,
): Promise<Report> {
  await expectReady(url);
  const { connections, seed, spread, readShare, answerWithinMs, domain } = plan;
  const urls = stack?.urls ?? [url];
  const load = startLoad({ urls, domain, connections, seed, spread, readShare, answerWithinMs }, plan.clientThreads);
  plan.signal.addEventListener("abort", () => void load.close(), { once: true });
  try {
    const stored = new StoredCount(plan, stack);
    if (plan.warmUpSeconds > 0 && plan.phase.model !== "source") {
      plan.say(`warming up for ${plan.warmUpSeconds} s`);
      const until = { name: "seconds", seconds: plan.warmUpSeconds } as const;
      const warmed = await load.run({ ...plan.phase, until }, idsFile);
      await stored.drained(warmed.accepted);
    }
    const follower = new Follower(url);
    load.onSample = (sample) => {
      if (designOf(plan.design).stores === "writer") follower.follow(sample);
    };
    const watch = stack === undefined ? undefined : new Watch(stack, domain);
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    const result = await withProgress(plan, load, () => load.run(plan.phase, idsFile));
    const loadEndedAt = performance.now();
    const clientCpu = process.cpuUsage(cpuBefore);
    const drained = await stored.drained(result.accepted);
    const looks = (await watch?.stop()) ?? [];
    const followed = await follower.done();
    const audit =
      stack === undefined || idsFile === undefined ? undefined : await audited(plan, stack, idsFile, result);
    return reportOf(plan, {
      stack,
      result,
      looks,
      followed,
      audit,
      startedAt,
      loadEndedAt,
      drained,
      clientCpuSeconds: (clientCpu.user + clientCpu.system) / 1e6,
    });
  } finally {
    await load.close();
  }
}

/** When all that was accepted is stored, and when it is ranked; performance.now() of each. */
interface Drained {
  readonly stored: number;
  readonly ranked: number;
}

/** Knows from the tiers' own counters when nothing is under way any more. */
class StoredCount {
  readonly #plan: BenchPlan;
  readonly #stack: Stack | undefined;
  #accepted = 0;

  constructor(plan: BenchPlan, stack: Stack | undefined) {
    this.#plan = plan;
    this.#stack = stack;
  }

  async drained(accepted: number): Promise<Drained | undefined> {
    this.#accepted += accepted;
    const stack = this.#stack;
    const now = performance.now();
    if (stack === undefined) return undefined;
    if (designOf(this.#plan.design).stores !== "writer") return { stored: now, ranked: now };
    let stored: number | undefined;
    for (const deadline = now + drainWithinMs; performance.now() < deadline; await delay(20)) {
      stored ??=
        (await sumOfMetric(stack.writerUrls, "tally_writer_events_total")) >= this.#accepted
          ? performance.now()
          : undefined;
      if (stored === undefined) continue;
      const [batches, ranked] = await Promise.all([
        sumOfMetric(stack.writerUrls, "tally_writer_batches_total"),
        sumOfMetric(stack.rankerUrls, "tally_ranker_batches_total"),
      ]);
      if (ranked >= batches) return { stored, ranked: performance.now() };
    }
    return undefined;
  }
}

async function expectReady(url: string): Promise<void> {
  try {
    const response = await fetch(`${url}/health/ready`);
    await response.arrayBuffer();
    if (response.ok) return;
    throw new Error(`answers ${response.status} to /health/ready`);
  } catch (error) {
    throw new TypeError(`${url} is not ready: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

async function withProgress<T>(plan: BenchPlan, load: Load, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const timer = setInterval(() => {
    void load
      .progress()
      .then((done) => plan.onProgress({ seconds: (performance.now() - startedAt) / 1000, done }))
      .catch(() => undefined); // of a thread that has failed run() tells
  }, 1000);
  try {
    return await run();
  } finally {
    clearInterval(timer);
    plan.onLoadEnded();
  }
}

async function audited(
  plan: BenchPlan,
  stack: Stack,
  idsFile: string,
  { accepted }: PhaseResult,
): Promise<AuditReport | undefined> {
  // Only the writer keeps the ledger that the audit goes by.
  if (designOf(plan.design).stores !== "writer" || accepted === 0) return undefined;
  plan.say("auditing");
  const { output, errors } = await runTally(plan.root, stack.environment, [
    "audit",
    "--json",
    "--wait",
    "300",
    "--acknowledged",
    idsFile,
  ]);
  if (output === "") throw new Error(`the audit answered nothing: ${errors}`);
  const report: AuditReport = JSON.parse(output);
  if (report.underWay.length > 0) throw new TypeError(`not drained, so not audited: ${report.underWay.join("; ")}`);
  return report;
}

interface Seen {
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

function reportOf(plan: BenchPlan, seen: Seen): Report {
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

function latencyOfAll({ posts, gets }: PhaseResult): Latency {
  const all = decodeFromCompressedBase64(posts);
  all.add(decodeFromCompressedBase64(gets));
  return latencyIn(all);
}

function latencyOf(encoded: string): Latency {
  return latencyIn(decodeFromCompressedBase64(encoded));
}

function latencyIn(histogram: ReturnType<typeof decodeFromCompressedBase64>): Latency {
  const at = (percentile: number): number => histogram.getValueAtPercentile(percentile) / 1000;
  return {
    mean: round(histogram.mean / 1000, 3),
    p50: at(50),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max: histogram.maxValue / 1000,
  };
}

function distributionOf(encoded: string): Report["histogram"] {
  const histogram = decodeFromCompressedBase64(encoded);
  const percentiles = [1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 97, 98, 99, 99.5, 99.9, 99.95, 99.99, 100];
  return percentiles.map((percentile) => ({ percentile, ms: histogram.getValueAtPercentile(percentile) / 1000 }));
}

function spansOf(values: readonly number[]): Spans | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0, 1);
  return { samples: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
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

function round(value: number, digits: number): number {
  return Number.isFinite(value) ? Number(value.toFixed(digits)) : 0;
}

/** A report as it was stored. */
export async function readReport(file: string): Promise<Report> {
  const report: Report = JSON.parse(await readFile(file, "utf8"));
  return report;
}
