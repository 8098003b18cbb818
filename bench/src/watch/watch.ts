import { setTimeout as delay } from "node:timers/promises";
import type { Stack } from "../open-stack.ts";
import { sumOfMetric } from "./metrics.ts";
import { tierNames, type TierFigures, type TierName } from "./tiers.ts";

/** What is seen of a running stack at one moment. Sums are since its start. */
export interface Look {
  /** Of performance.now(), in seconds. */
  readonly at: number;
  /** Messages in the domain's two queues, without those that consumers hold. */
  readonly queued: number;
  /** Events whose transaction is committed. */
  readonly stored: number;
  readonly tiers: ReadonlyMap<TierName, TierFigures>;
}

const lookEveryMs = 500;

/** Looks at a stack twice a second until it is stopped. A look costs some ms of the bench's own CPU. */
export class Watch {
  readonly #stack: Stack;
  readonly #domain: string;
  readonly #looks: Look[] = [];
  #running: Promise<void>;
  #stopped = false;

  constructor(stack: Stack, domain: string) {
    this.#stack = stack;
    this.#domain = domain;
    this.#running = this.#run();
    // Told by stop(): nobody waits for it before.
    this.#running.catch(() => undefined);
  }

  async stop(): Promise<readonly Look[]> {
    this.#stopped = true;
    await this.#running;
    this.#looks.push(await look(this.#stack, this.#domain));
    return this.#looks;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#looks.push(await look(this.#stack, this.#domain));
      await delay(lookEveryMs);
    }
  }
}

async function look(stack: Stack, domain: string): Promise<Look> {
  const tiers = stack.tiers();
  const at = performance.now() / 1000;
  const [queued, stored] = await Promise.all([
    stack.queueDepth(domain),
    sumOfMetric(stack.writerUrls, "tally_writer_events_total"),
  ]);
  return { at, queued, stored, tiers };
}

/** CPU seconds that each tier has used from one look to another. */
export function cpuBetween(first: Look, last: Look): Readonly<Record<TierName, number>> {
  const used = (tier: TierName): number =>
    (last.tiers.get(tier)?.cpuSeconds ?? 0) - (first.tiers.get(tier)?.cpuSeconds ?? 0);
  return {
    gateway: used("gateway"),
    writer: used("writer"),
    ranker: used("ranker"),
    broker: used("broker"),
    database: used("database"),
    redis: used("redis"),
  };
}

/** The most resident memory of each tier that was seen, in MiB. */
export function memoryOf(looks: readonly Look[]): Readonly<Record<TierName, number>> {
  const most = (tier: TierName): number =>
    Math.round(Math.max(0, ...looks.map(({ tiers }) => tiers.get(tier)?.memoryMiB ?? 0)));
  const [gateway, writer, ranker, broker, database, redis] = tierNames.map(most);
  return {
    gateway: gateway ?? 0,
    writer: writer ?? 0,
    ranker: ranker ?? 0,
    broker: broker ?? 0,
    database: database ?? 0,
    redis: redis ?? 0,
  };
}

/** Whether a queue that was looked at has found its level, or was still growing when the load ended. */
export function verdictOf(depths: readonly number[]): "plateau" | "peak" {
  const quarter = Math.max(1, Math.floor(depths.length / 4));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / (values.length || 1);
  const before = mean(depths.slice(quarter, -quarter));
  const end = mean(depths.slice(-quarter));
  // Some ten messages come and go by themselves.
  return end > 1.5 * before + 20 ? "peak" : "plateau";
}
