import { setTimeout as delay } from "node:timers/promises";
import type { System } from "../open-system.ts";
import { readCounters, type Counters } from "./counters.ts";
import type { OfTiers, TierFigures } from "./tiers.ts";

/** The state of a running system at one moment. */
export interface Observation extends Counters {
  /** Messages in the domain's two queues. Delivered messages are in no queue. */
  readonly queued: number;
  /** Share of its limit of the fuller queue, 0 to 1. */
  readonly fullness: number;
  readonly tiers: OfTiers<TierFigures>;
}

const observeEveryMs = 500;

/** Observes a system twice a second until it is stopped. An observation costs the bench some ms of CPU time. */
export class Watch {
  readonly #system: System;
  readonly #domain: string;
  readonly #observations: Observation[] = [];
  #running: Promise<void>;
  #stopped = false;

  constructor(system: System, domain: string) {
    this.#system = system;
    this.#domain = domain;
    this.#running = this.#run();
    // stop() rejects with it.
    this.#running.catch(() => undefined);
  }

  /** All observations so far. */
  get observations(): readonly Observation[] {
    return this.#observations;
  }

  async stop(): Promise<readonly Observation[]> {
    this.#stopped = true;
    await this.#running;
    this.#observations.push(await observe(this.#system, this.#domain));
    return this.#observations;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#observations.push(await observe(this.#system, this.#domain));
      await delay(observeEveryMs);
    }
  }
}

async function observe(system: System, domain: string): Promise<Observation> {
  const tiers = system.tiers();
  const [queues, counters] = await Promise.all([system.queues(domain), readCounters(system)]);
  return {
    ...counters,
    queued: queues.reduce((sum, { depth }) => sum + depth, 0),
    fullness: Math.max(...queues.map(({ depth, max }) => depth / max)),
    tiers,
  };
}
