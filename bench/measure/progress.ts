import { workloadOf } from "@tally/domains/workloads";
import { Progress } from "@tally/runtime/progress";
import type { Fill, Phase } from "./load/load-plan.ts";
import type { Load } from "./load/start-load.ts";

/** Runs a phase. On a terminal shows once a second how much of it is over. */
export async function withProgress<T>(
  domain: string,
  phase: Phase | Fill,
  load: Pick<Load, "progress">,
  run: () => Promise<T>,
): Promise<T> {
  if (!process.stderr.isTTY) return run();
  const progress = new Progress();
  const startedAt = performance.now();
  const length = lengthOf(domain, phase);
  let isAsking = false;
  let isOver = false;
  const show = (through: number): void => {
    const share = "seconds" in length ? (performance.now() - startedAt) / 1000 / length.seconds : undefined;
    const total = "requests" in length ? length.requests : Math.round(through / Math.min(1, share ?? 1));
    if (!isOver) progress.show("requests", through, total);
  };
  const timer = setInterval(() => {
    // One question at a time: a busy thread replies late.
    if (isAsking) return;
    isAsking = true;
    void load
      .progress()
      .then(show)
      .catch(() => undefined) // run() rejects when a thread fails
      .finally(() => (isAsking = false));
  }, 1000);
  try {
    return await run();
  } finally {
    isOver = true;
    clearInterval(timer);
    progress.end();
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
