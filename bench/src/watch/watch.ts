import { setTimeout as delay } from "node:timers/promises";
import type { System } from "../open-system.ts";
import { readCounters, type Counters } from "./counters.ts";
import { eachTier, type OfTiers, type TierFigures, type TierName } from "./tiers.ts";

/** What is seen of a running system at one moment. */
export interface Look extends Counters {
  /** Messages in the domain's two queues, without those that consumers hold. */
  readonly queued: number;
  /** Of the queue that is nearest to its limit, 0 to 1. */
  readonly fullness: number;
  readonly tiers: ReadonlyMap<TierName, TierFigures>;
}

const lookEveryMs = 500;

/** Looks at a system twice a second until it is stopped. A look costs some ms of the bench's own CPU. */
export class Watch {
  readonly #system: System;
  readonly #domain: string;
  readonly #looks: Look[] = [];
  #running: Promise<void>;
  #stopped = false;

  constructor(system: System, domain: string) {
    this.#system = system;
    this.#domain = domain;
    this.#running = this.#run();
    // Told by stop(): nobody waits for it before.
    this.#running.catch(() => undefined);
  }

  /** So far. */
  get looks(): readonly Look[] {
    return this.#looks;
  }

  async stop(): Promise<readonly Look[]> {
    this.#stopped = true;
    await this.#running;
    this.#looks.push(await look(this.#system, this.#domain));
    return this.#looks;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#looks.push(await look(this.#system, this.#domain));
      await delay(lookEveryMs);
    }
  }
}

async function look(system: System, domain: string): Promise<Look> {
  const tiers = system.tiers();
  const [queues, counters] = await Promise.all([system.queues(domain), readCounters(system)]);
  return {
    ...counters,
    queued: queues.reduce((sum, { depth }) => sum + depth, 0),
    fullness: Math.max(...queues.map(({ depth, max }) => depth / max)),
    tiers,
  };
}

/** CPU seconds that each tier has used from one look to another. */
export function cpuBetween(first: Look, last: Look): OfTiers<number> {
  return eachTier((tier) => (last.tiers.get(tier)?.cpuSeconds ?? 0) - (first.tiers.get(tier)?.cpuSeconds ?? 0));
}

/** The most resident memory of each tier that was seen, in MiB. */
export function memoryOf(looks: readonly Look[]): OfTiers<number> {
  return eachTier((tier) => Math.round(Math.max(0, ...looks.map(({ tiers }) => tiers.get(tier)?.memoryMiB ?? 0))));
}
