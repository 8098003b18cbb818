import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "@tally/runtime";
import type { Redis } from "../connection/redis.ts";
import { firstGeneration, shardKey } from "./keys.ts";

/*
 * The number of shards of a domain belongs to its data: the name of a generation ends in it, "1732301234567123x4". A
 * process asks the first shard for the live one. What it knows may be old, so each script compares: for another number
 * it fails with "SHARDS <number>" before any effect.
 *
 * A change of the number switches the shards one after the other, the first one last. Until then, and for as long as a
 * process knows the old number, scripts fail and are called again with the new one.
 */

/** The shards of a domain's live generation. `live`: the first argument of a script, which then expects them. */
export interface Shards {
  readonly keys: readonly string[];
  readonly live: string;
}

interface Known extends Shards {
  readonly readAtMs: number;
}

interface LiveShardsOptions {
  readonly redis: Redis;
  readonly namespace: string;
  /** The number of shards of a domain that never had a generation. */
  readonly shards: number;
  readonly log: Log;
}

// Of a switch that is under way. Longer than it takes with a busy Redis.
const againWithinMs = 3000;
const againEveryMs = 20;
// After Redis has lost everything, no script disagrees: another process may have built other shards.
const believedMs = 1000;

/** Calls scripts on the shards of live generations. */
export class LiveShards {
  readonly #options: LiveShardsOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: LiveShardsOptions) {
    this.#options = options;
  }

  /**
   * Calls `use` with the shards of the live generation, again when they are others by now. Costs nothing besides `use`
   * in the usual case.
   */
  async call<T>(domain: string, use: (shards: Shards) => Promise<T>): Promise<T> {
    const deadlineMs = performance.now() + againWithinMs;
    for (;;) {
      const shards = this.#believed(domain) ?? (await this.read(domain));
      try {
        return await use(shards);
      } catch (error) {
        if (!isOtherShards(error) || performance.now() > deadlineMs) throw error;
        const now = await this.read(domain);
        // The switch is under way: the first shard still has the old generation.
        if (now.live === shards.live) await delay(againEveryMs);
      }
    }
  }

  /** Asks the first shard. Without a live generation: what was known before, or the setting. */
  async read(domain: string): Promise<Shards> {
    const { redis, namespace, shards, log } = this.#options;
    const name = await redis.get(`${shardKey(namespace, domain, 0)}:generation`);
    const before = this.#known.get(domain);
    const count = shardsIn(name) ?? before?.keys.length ?? shards;
    const readAtMs = performance.now();
    const known: Known =
      before?.keys.length === count ? { ...before, readAtMs } : { ...this.of(domain, count), readAtMs };
    this.#known.set(domain, known);
    if (count !== (before?.keys.length ?? shards)) {
      const message = "the rankings have another number of shards than before or in RANKING_SHARDS: following them";
      log.info({ domain, shards: count, setting: shards }, message);
    }
    return known;
  }

  /** The prefix of the keys of each shard's live generation. */
  async prefixes(domain: string): Promise<readonly string[]> {
    const { redis } = this.#options;
    const { keys } = await this.read(domain);
    return Promise.all(keys.map(async (key) => `${key}:${(await redis.get(`${key}:generation`)) ?? firstGeneration}`));
  }

  of(domain: string, count: number): Shards {
    const keys = Array.from({ length: count }, (_, shard) => shardKey(this.#options.namespace, domain, shard));
    return { keys, live: `x${count}` };
  }

  #believed(domain: string): Shards | undefined {
    const known = this.#known.get(domain);
    if (known === undefined || performance.now() - known.readAtMs < believedMs) return known;
    // Used until the answer has come; without one, the next call asks again.
    this.#known.set(domain, { ...known, readAtMs: performance.now() });
    this.read(domain).catch(() => undefined);
    return known;
  }
}

/** The number of shards in the name of a generation; undefined in names of releases that did not have it. */
export function shardsIn(generation: string | null): number | undefined {
  const [, count] = /x(\d+)$/.exec(generation ?? "") ?? [];
  return count === undefined ? undefined : Number(count);
}

function isOtherShards(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("SHARDS ");
}
