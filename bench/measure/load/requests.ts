import { type ClientRequest, mixSeed, Random, type Workload } from "../../kit/index.ts";
import type { LoadPlan } from "./load-plan.ts";

/** The seed of one of several threads. The first has `seed` itself; different seeds have different thread seeds. */
export function seedOfThread(seed: number, index: number): number {
  return index === 0 ? seed : mixSeed(mixSeed(seed) + index);
}

/** Endless, the same for a seed, apart from requests for the event that the same connection has just posted. */
export class Requests {
  readonly #plan: LoadPlan;
  readonly #workload: Workload;
  readonly #random: () => number;

  constructor(plan: LoadPlan, workload: Workload) {
    this.#plan = plan;
    this.#workload = workload;
    this.#random = new Random(plan.seed).fraction;
  }

  /** `eventId`: from the response to the connection's last request, if it was 2xx. */
  next(eventId?: string): ClientRequest {
    const { readShare, spread, contentBytes } = this.#plan;
    if (readShare > 0 && this.#random() < readShare)
      return { method: "GET", path: this.#workload.read(this.#random, spread) };
    return this.#workload.next(this.#random, spread, { eventId, contentBytes });
  }
}

/** One of several nearly equal parts of a whole number; they add up to it. */
export function share(whole: number, index: number, parts: number): number {
  return Math.floor(whole / parts) + (index < whole % parts ? 1 : 0);
}
