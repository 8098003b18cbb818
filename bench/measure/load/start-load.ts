import { type Sample, startThread } from "../../kit/index.ts";
import type { Fill, LoadPlan, Phase, PhaseFiles, PhaseResult } from "./load-plan.ts";
import { mergeResults } from "./merge-results.ts";
import { seedOfThread } from "./requests.ts";
import { share } from "./share.ts";
import type { LoadCalls } from "./thread.ts";

type RunPhase = (files?: PhaseFiles) => Promise<PhaseResult>;

/** A load client in its own threads. */
export interface Load {
  /** Does what a phase needs before its time starts, such as opening connections. The returned function runs it, once. One phase at a time. */
  prepare(phase: Phase | Fill): Promise<RunPhase>;
  /** Gets some accepted events while a phase runs, about ten a second from each thread. */
  onSample: (sample: Sample) => void;
  /** Requests of the running phase that are over, with a response or timed out; those of paced groups do not count. */
  progress(): Promise<number>;
  close(): Promise<void>;
}

/** Divides connections, rate and amount among the threads without a remainder. */
export function startLoad(plan: LoadPlan, count: number): Load {
  const threads = Array.from({ length: count }, (_, index) => {
    const own: LoadPlan = {
      ...plan,
      urls: rotated(plan.urls, sharesBefore(plan.connections, index, count)),
      connections: share(plan.connections, index, count),
      seed: seedOfThread(plan.seed, index),
    };
    return startThread<LoadCalls, Sample>(new URL("thread.ts", import.meta.url), own, (sample) =>
      load.onSample(sample),
    );
  });
  const load: Load = {
    onSample: () => undefined,
    async prepare(phase) {
      await Promise.all(threads.map((thread, index) => thread.call("prepare", shareOf(phase, index, count))));
      return async (files) => {
        const startedAt = performance.timeOrigin + performance.now();
        return mergeResults(await Promise.all(threads.map((thread) => thread.call("run", { ...files, startedAt }))));
      };
    },
    async progress() {
      const each = await Promise.all(threads.map((thread) => thread.call("progress")));
      return each.reduce((sum, one) => sum + one, 0);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
  return load;
}

/** Connections use the gateways in turn, over all threads: each thread continues where the one before it ends. */
function rotated(urls: readonly string[], by: number): readonly string[] {
  const first = by % urls.length;
  return [...urls.slice(first), ...urls.slice(0, first)];
}

function sharesBefore(whole: number, index: number, parts: number): number {
  return Array.from({ length: index }, (_, before) => share(whole, before, parts)).reduce((sum, one) => sum + one, 0);
}

function shareOf(phase: Phase | Fill, index: number, threads: number): Phase | Fill {
  if (phase.model === "fill") return { ...phase, amount: share(phase.amount, index, threads) };
  if (phase.model === "source") return phase; // runs in one thread
  const { until } = phase;
  const own = until.name === "amount" ? { ...until, amount: share(until.amount, index, threads) } : until;
  return phase.model === "open"
    ? { ...phase, until: own, perSecond: phase.perSecond / threads }
    : { ...phase, until: own };
}
