import { workloadOf } from "@tally/domains/workloads";
import type { BenchPlan } from "./bench-plan.ts";
import type { Fill, Phase } from "./load/load-plan.ts";
import type { Load } from "./load/start-load.ts";

/** Runs a phase and reports its progress once a second. */
export async function withProgress<T>(
  { domain, onProgress, onLoadEnded }: Pick<BenchPlan, "domain" | "onProgress" | "onLoadEnded">,
  phase: Phase | Fill,
  load: Pick<Load, "progress">,
  run: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const length = lengthOf(domain, phase);
  let asking = false;
  let isOver = false;
  const timer = setInterval(() => {
    // One question at a time: a busy thread replies late.
    if (asking) return;
    asking = true;
    void load
      .progress()
      .then((through) => {
        // A bar that begins after the end of its load would never be stopped, and its timer would keep the process alive.
        if (isOver) return undefined;
        const seconds = (performance.now() - startedAt) / 1000;
        const share = "seconds" in length ? seconds / length.seconds : through / length.requests;
        onProgress({ share: Math.min(1, share), through });
        return undefined;
      })
      .catch(() => undefined) // run() rejects when a thread fails
      .finally(() => (asking = false));
  }, 1000);
  try {
    return await run();
  } finally {
    isOver = true;
    clearInterval(timer);
    onLoadEnded();
  }
}

/** When a phase is over. Requests of paced groups do not count. */
export function lengthOf(
  domain: string,
  phase: Phase | Fill,
): { readonly seconds: number } | { readonly requests: number } {
  if (phase.model === "fill") return { requests: phase.amount };
  if (phase.model !== "source")
    return phase.until.name === "amount" ? { requests: phase.until.amount } : { seconds: phase.until.seconds };
  const run = workloadOf(domain).source?.runs[phase.run];
  const groups = (phase.warmUp === true ? run?.warmUp : run?.groups)?.(phase.scale) ?? [];
  return { requests: groups.reduce((sum, { connections, requestsOfEach }) => sum + connections * requestsOfEach, 0) };
}
