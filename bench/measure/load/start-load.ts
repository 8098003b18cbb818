import { encodeIntoCompressedBase64 as encode } from "hdr-histogram-js";
import { startThread } from "../../kit/index.ts";
import type { Fill, LoadPlan, Phase, PhaseResult } from "./load-plan.ts";
import { merged, type Sample } from "./recorder.ts";
import { seedOfThread, share } from "./requests.ts";
import type { LoadCalls } from "./thread.ts";

/** Starts a load client in its own threads. Divides connections, rate and amount among them without a remainder. */
export function startLoad(plan: LoadPlan, count: number) {
  const threads = Array.from({ length: count }, (_, index) => {
    const own: LoadPlan = {
      ...plan,
      urls: urlsOf(plan, index, count),
      connections: share(plan.connections, index, count),
      partOf: plan.partOf && share(plan.partOf, index, count),
      seed: seedOfThread(plan.seed, index),
    };
    return startThread<LoadCalls, Sample>(new URL("thread.ts", import.meta.url), own, (sample) =>
      load.onSample(sample),
    );
  });
  const load = {
    /** Gets some accepted events while a phase runs, about ten a second from each thread. */
    onSample: ((): void => undefined) as (sample: Sample) => void,
    /** Opens connections for a phase. The result runs it, once; `idsFile` gets the ids of accepted events. */
    async prepare(phase: Phase | Fill) {
      await Promise.all(threads.map((thread, index) => thread.call("prepare", shareOf(phase, index, count))));
      return async (idsFile?: string) =>
        mergeResults(await Promise.all(threads.map((thread) => thread.call("run", idsFile))));
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
  return load;
}

/** Connections use the gateways in turn, over all threads: each thread continues where the one before it ends. */
function urlsOf({ urls, connections }: LoadPlan, index: number, threads: number): readonly string[] {
  const before = Array.from({ length: index }, (_, other) => share(connections, other, threads));
  const first = before.reduce((sum, one) => sum + one, 0) % urls.length;
  return [...urls.slice(first), ...urls.slice(0, first)];
}

function shareOf(phase: Phase | Fill, index: number, threads: number): Phase | Fill {
  if (phase.model === "fill") return { ...phase, amount: share(phase.amount, index, threads) };
  if (phase.model === "source") return phase; // runs in one thread
  const { until } = phase;
  const own = "amount" in until ? { amount: share(until.amount, index, threads) } : until;
  return phase.model === "open"
    ? { ...phase, until: own, perSecond: phase.perSecond / threads }
    : { ...phase, until: own };
}

/** Quantiles come from the merged histograms of the threads. */
function mergeResults(results: readonly PhaseResult[]): PhaseResult {
  const sum = (of: (result: PhaseResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  const most = (of: (result: PhaseResult) => number): number => Math.max(...results.map(of));
  const statuses: Record<string, number> = {};
  for (const result of results)
    for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  return {
    seconds: most(({ seconds }) => seconds),
    sendingSeconds: most(({ sendingSeconds }) => sendingSeconds),
    sent: sum(({ sent }) => sent),
    accepted: sum(({ accepted }) => accepted),
    read: sum(({ read }) => read),
    statuses,
    connectionErrors: sum(({ connectionErrors }) => connectionErrors),
    timeouts: sum(({ timeouts }) => timeouts),
    failedReads: sum(({ failedReads }) => failedReads),
    retries: sum(({ retries }) => retries),
    withoutResponse: sum(({ withoutResponse }) => withoutResponse),
    posts: encode(merged(results.map(({ posts }) => posts))),
    gets: encode(merged(results.map(({ gets }) => gets))),
    perSecond: Array.from({ length: most(({ perSecond }) => perSecond.length) }, (_, second) => ({
      accepted: sum(({ perSecond }) => perSecond[second]?.accepted ?? 0),
      read: sum(({ perSecond }) => perSecond[second]?.read ?? 0),
      failed: sum(({ perSecond }) => perSecond[second]?.failed ?? 0),
    })),
    // Threads are about equally fast.
    parts: Array.from({ length: Math.min(...results.map(({ parts }) => parts.length)) }, (_, at) => ({
      events: sum(({ parts }) => parts[at]?.events ?? 0),
      seconds: most(({ parts }) => parts[at]?.seconds ?? 0),
      posts: encode(merged(results.flatMap(({ parts }) => parts[at]?.posts ?? []))),
    })),
    // A source runs in one thread.
    groups: results.flatMap(({ groups }) => groups),
    client: { busy: most(({ client }) => client.busy), delayP99: most(({ client }) => client.delayP99) },
  };
}
