import { Worker } from "node:worker_threads";
import type { Answer, Ask, LoadPlan, Questions } from "./protocol.ts";

/** A load that runs in a thread of its own, from now on. */
export interface Load {
  figures(): Promise<Questions["figures"]>;
  /** Sends one event of each domain to a gateway until all are acknowledged; their ids. */
  probe(gateway: number): Promise<Questions["probe"]>;
  /** Ends it. */
  finish(): Promise<Questions["finish"]>;
  /** Ends it at once; what was under way is not waited for. */
  abort(): Promise<void>;
}

export function startLoad(plan: LoadPlan): Load {
  const worker = new Worker(new URL("thread.ts", import.meta.url), { workerData: plan });
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: unknown) => void }>();
  let failure: unknown;
  let last = 0;
  worker.on("message", ({ request, answer }: Answer) => {
    // The answer belongs to the question: the thread answers each with its own type.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    waiting.get(request)?.resolve(answer as never);
    waiting.delete(request);
  });
  worker.on("error", (error) => {
    failure = error;
    for (const { reject } of waiting.values()) reject(error);
  });

  function ask<Q extends keyof Questions>(question: Q, gateway = 0): Promise<Questions[Q]> {
    if (failure !== undefined) return Promise.reject(failure);
    return new Promise((resolve, reject) => {
      const message: Ask = { request: ++last, question, gateway };
      waiting.set(last, { resolve, reject });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
      worker.postMessage(message);
    });
  }

  return {
    figures: () => ask("figures"),
    probe: (gateway) => ask("probe", gateway),
    finish: () => ask("finish"),
    async abort() {
      await worker.terminate();
    },
  };
}
