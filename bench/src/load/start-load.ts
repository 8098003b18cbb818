import { Worker } from "node:worker_threads";
import type { Fill, LoadPlan, Phase, PhaseResult, Sample } from "./load-plan.ts";
import { mergeResults } from "./merge-results.ts";
import { seedOfThread } from "./requests.ts";
import { share } from "./share.ts";
import type { FromThread, ToThread } from "./protocol.ts";

/** `idsFile` takes the ids of what was accepted, a line each. */
type RunPhase = (idsFile?: string) => Promise<PhaseResult>;

/** A client in threads of its own. */
export interface Load {
  /** Does what a phase needs before its time begins, as opening connections; the answer runs it, once. One phase after the other. */
  prepare(phase: Phase | Fill): Promise<RunPhase>;
  /** Takes some accepted events while a phase runs, about ten a second from each thread. */
  onSample: (sample: Sample) => void;
  /** How many requests of the running phase are over so far, answered or given up; not those that ask meanwhile, as often as they like. */
  progress(): Promise<number>;
  close(): Promise<void>;
}

/** Connections, rate and amount are shared out over the threads; none is lost. */
export function startLoad(plan: LoadPlan, threads: number): Load {
  const workers = Array.from({ length: threads }, (_, index) => {
    const workerData: LoadPlan = {
      ...plan,
      urls: turned(plan.urls, sharesBefore(plan.connections, index, threads)),
      connections: share(plan.connections, index, threads),
      seed: seedOfThread(plan.seed, index),
    };
    return new Worker(new URL("thread.ts", import.meta.url), { workerData });
  });
  const load: Load = {
    onSample: () => undefined,
    async prepare(phase) {
      await Promise.all(
        workers.map((worker, index) =>
          asked(worker, { name: "prepare", phase: shareOf(phase, index, threads) }, "prepared"),
        ),
      );
      return async (idsFile) => {
        const order: ToThread = { name: "run", idsFile };
        const onSample = (sample: Sample): void => load.onSample(sample);
        const results = await Promise.all(workers.map((worker) => asked(worker, order, "done", onSample)));
        return mergeResults(results.map(({ result }) => result));
      };
    },
    async progress() {
      const answers = await Promise.all(workers.map((worker) => asked(worker, { name: "progress" }, "progress")));
      return answers.reduce((sum, { through }) => sum + through, 0);
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
  return load;
}

/** Connections take the gateways in turn, over all threads: each thread begins where the one before it has ended. */
function turned(urls: readonly string[], by: number): readonly string[] {
  const first = by % urls.length;
  return [...urls.slice(first), ...urls.slice(0, first)];
}

function sharesBefore(whole: number, index: number, parts: number): number {
  return Array.from({ length: index }, (_, before) => share(whole, before, parts)).reduce((sum, one) => sum + one, 0);
}

function shareOf(phase: Phase | Fill, index: number, threads: number): Phase | Fill {
  if (phase.model === "fill") return { ...phase, amount: share(phase.amount, index, threads) };
  if (phase.model === "source") return phase; // of one thread only
  const { until } = phase;
  const own = until.name === "amount" ? { ...until, amount: share(until.amount, index, threads) } : until;
  return phase.model === "open"
    ? { ...phase, until: own, perSecond: phase.perSecond / threads }
    : { ...phase, until: own };
}

type Said<N extends FromThread["name"]> = Extract<FromThread, { readonly name: N }>;

function asked<N extends "prepared" | "done" | "progress">(
  worker: Worker,
  order: ToThread,
  answer: N,
  onSample?: (sample: Sample) => void,
): Promise<Said<N>> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      worker.off("message", take).off("error", fail);
    };
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    const take = (message: FromThread): void => {
      if (message.name === "sample") onSample?.(message.sample);
      else if (message.name === "failed") fail(new Error(message.reason));
      else if (isSaid(message, answer)) {
        end();
        resolve(message);
      }
    };
    worker.on("message", take).on("error", fail);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
    worker.postMessage(order);
  });
}

function isSaid<N extends FromThread["name"]>(message: FromThread, name: N): message is Said<N> {
  return message.name === name;
}
