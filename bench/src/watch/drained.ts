import { setTimeout as delay } from "node:timers/promises";
import type { BenchPlan } from "../bench-plan.ts";
import { designOf } from "../designs/designs.ts";
import type { Stack } from "../open-stack.ts";
import { sumOfMetric } from "./metrics.ts";

/** When all that was accepted is stored, and when it is ranked; performance.now() of each. */
export interface Drained {
  readonly stored: number;
  readonly ranked: number;
}

const drainWithinMs = 300_000;

/** Knows from the tiers' own counters when nothing is under way any more. */
export class StoredCount {
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
