import { cpus } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { foreignCpu } from "../machine/foreign-cpu.ts";
import { readMachine, type MachineReading } from "../machine/read-machine.ts";
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
  /** Cores that other processes and the hypervisor used since the observation before. null: unknown, or the first observation. */
  readonly foreignCores: number | null;
  readonly stealCores: number | null;
}

const observeEveryMs = 500;

/** Observes a system twice a second until it is stopped. An observation costs the bench some ms of CPU time. */
export class Watch {
  readonly #system: System;
  readonly #domain: string;
  readonly #roots: readonly number[] | undefined;
  readonly #observations: Observation[] = [];
  #running: Promise<void>;
  #stopped = false;
  #reading: MachineReading | undefined;

  /** `roots`: the processes whose descendants are the run; undefined: unknown. */
  constructor(system: System, domain: string, roots: readonly number[] | undefined) {
    this.#system = system;
    this.#domain = domain;
    this.#roots = roots;
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
    this.#observations.push(await this.#observe());
    return this.#observations;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#observations.push(await this.#observe());
      await delay(observeEveryMs);
    }
  }

  // Never runs twice at once: stop() waits for the end of #run.
  async #observe(): Promise<Observation> {
    const system = this.#system;
    const [before, now] = [this.#reading, readMachine()];
    this.#reading = now;
    const tiers = system.tiers(now?.processes ?? []);
    const [queues, counters] = await Promise.all([system.queues(this.#domain), readCounters(system)]);
    return {
      ...counters,
      queued: queues.reduce((sum, { depth }) => sum + depth, 0),
      fullness: Math.max(...queues.map(({ depth, max }) => depth / max)),
      tiers,
      ...otherCores(before, now, this.#roots),
    };
  }
}

function otherCores(
  before: MachineReading | undefined,
  now: MachineReading | undefined,
  roots: readonly number[] | undefined,
): Pick<Observation, "foreignCores" | "stealCores"> {
  if (before === undefined || now === undefined) return { foreignCores: null, stealCores: null };
  const coreSeconds = (now.cpu.totalSeconds - before.cpu.totalSeconds) / cpus().length;
  // Two readings within one tick.
  if (coreSeconds === 0) return { foreignCores: null, stealCores: null };
  return {
    foreignCores: roots === undefined ? null : foreignCpu(before, now, roots).seconds / coreSeconds,
    stealCores: (now.cpu.stealSeconds - before.cpu.stealSeconds) / coreSeconds,
  };
}
