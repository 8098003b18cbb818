import { masterOfKey, mastersWithSlotOf } from "../connection/cluster.ts";
import type { Redis } from "../connection/redis.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { BatchId } from "@tally/contract";
import { fitShards } from "./encode-moves.ts";
import { RankingsUnavailable, type BatchRanking, type RankingsOptions } from "./rankings.ts";
import type { RankingsRedis } from "./scripts.ts";

/*
 * All keys of one shard share a hash tag, so they live in one slot of a Redis Cluster:
 * "tally" is the namespace, "v2" the layout, "g" a generation, whose name ends in its number of shards.
 *
 *   tally:{liftrides:0:v2}:generation  the live generation. Absent: none was ever built, or Redis has lost everything
 *                         :builder     the generation that is being built, with a time to live: one at a time
 *                         :checked-to  "run epoch": all batches of epochs up to it are marked, checked in that run
 *                         :g:b:day:5   the members of a board, or its best: sorted set, score = negated count
 *                         :g:c:day:5   all members with their scores: hash; absent for mirrored counts
 *                         :g:floors    board -> the last place in its sorted set; see lua/move.lua
 *                         :g:applied:<hex>  the marks of a producer, one bit for each batch: it is ranked
 *                         :g:folded    how many batches are folded; all of them are marked
 *                         :g:series    which series of mirrored counts it has, as JSON; absent: of all time only
 *                         :g:needs     what a message and its ranker must have: textOfSeries, and "chain". Missing after
 *                                      a build by an earlier release, until the first message with series
 *                         :g:lacks-series  those that the last message lacked, for a minute; it deletes :series
 *                         :g:as-of     when the newest ranked batch was stored, ms since 1970
 *                         :g:recent    in the first shard: ranked batches that no noted epoch shows to be in the ledger
 *                         :g:epoch     "epoch token": the database must have it, or has lost batches that are ranked
 *                         :g:dirty     why this generation is wrong: a script failed half-way
 *                         :g:loaded    while it is built: one bit for each chunk that was loaded
 *
 * While no generation is live, batches are ranked in one called "1", so that traffic is ranked from its first batch.
 */

export function shardKey(namespace: string, domain: string, shard: number): string {
  return `${namespace}:{${domain}:${shard}:v2}`;
}

/** The generation while none is live; a built one never has this name. */
export const firstGeneration = "1";

/** All keys with a prefix that names a shard, in portions; a key may occur twice. Scans all keys of the shard's master,
 * without blocking it. While the slot moves, two masters have its keys: scans both, first the one that the keys leave.
 */
export async function* keysOfShard(redis: Redis, prefix: string): AsyncGenerator<readonly string[]> {
  const pattern = `${prefix.replaceAll(/[*?[\]\\]/g, String.raw`\$&`)}*`;
  // Waits until the masters are known.
  await redis.exists(prefix);
  const scanned = new Set<unknown>();
  for (;;) {
    const owner = masterOfKey(redis, prefix);
    if (owner === undefined) throw new RankingsUnavailable(new Error("no master of the cluster serves the shard"));
    const holders = scanned.has(owner) ? await mastersWithSlotOf(redis, prefix) : [owner];
    const master = holders.find((holder) => !scanned.has(holder));
    if (master === undefined) return;
    scanned.add(master);
    let cursor = "0";
    do {
      const [next, keys] = await master.scan(cursor, "MATCH", pattern, "COUNT", 2000);
      if (keys.length > 0) yield keys;
      cursor = next;
    } while (cursor !== "0");
  }
}

/*
 * The name of a generation ends in its number of shards: "1732301234567000r1f0c9a3ex4". A process asks the first shard
 * for the live one. Its answer may be old, so each script compares: for another number it fails with "SHARDS <number>"
 * before any effect, and is called again with the new one. A change of the number switches the first shard last.
 */

/** The shards of a domain's live generation. `live`: the first argument of a script, which then expects them. */
export interface Shards {
  readonly keys: readonly string[];
  readonly live: string;
}

interface Known extends Shards {
  readonly readAtMs: number;
}

type LiveShardsOptions = Pick<RankingsOptions, "namespace" | "shards" | "log"> & { readonly redis: Redis };

// For a switch that is under way: longer than it takes with a busy Redis.
const againWithinMs = 3000;
const againEveryMs = 20;
// After Redis has lost everything, no script disagrees: another process may have built other shards.
const believedMs = 1000;

export class LiveShards {
  readonly #options: LiveShardsOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: LiveShardsOptions) {
    this.#options = options;
  }

  /** Calls `use` with the shards of the live generation, and again when they are others by now. */
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

/** The number of shards in the name of a generation, if it has one. */
export function shardsIn(generation: string | null): number | undefined {
  const [, count] = /x(\d+)$/.exec(generation ?? "") ?? [];
  return count === undefined ? undefined : Number(count);
}

function isOtherShards(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("SHARDS ");
}

/** The series of a message with the boards of the chain: the script of this release moves them. A ranker of an earlier
 * one does not say so, and its script deletes the note :series. */
export const withChain = (series: string): string => `${series},chain`;

/** `onShards` calls a function with the shards of a domain and the first argument of their scripts, perhaps again. */
export function batchRanking(
  redis: RankingsRedis,
  onShards: <T>(domain: string, use: (shards: Shards) => Promise<T>) => Promise<T>,
): BatchRanking {
  return {
    rank: (domain, message) =>
      onShards(domain, async ({ keys, live }) => {
        const { batch, storedAt } = message;
        const series = message.series === undefined ? "" : withChain(message.series);
        const moves = fitShards(message, keys.length);
        const results = await Promise.all(
          moves.map(async (own, index) => {
            const shard = keys[index] ?? "";
            const isFirst = index === 0 ? 1 : 0;
            const { producer, sequence } = batch;
            const call = () => redis.tallyRank(shard, live, producer, sequence, storedAt, own, isFirst, series);
            const [isNew, more] = await call();
            // One step per call: Redis serves others in between.
            for (let left = more; left === 1;) [, left] = await call();
            return isNew;
          }),
        );
        return results.includes(1);
      }),

    unmarked: <B extends BatchId>(domain: string, batches: readonly B[]): Promise<readonly B[]> =>
      onShards(domain, async ({ keys, live }) => {
        // Few enough for the arguments of a call, and for Redis to serve others in between.
        const portions = Map.groupBy(batches, ({ producer, sequence }) => `${producer}${Math.floor(sequence / 5000)}`);
        const missing = await Promise.all(
          [...portions.values()].flatMap((own) =>
            keys.map(async (shard) => {
              const all = own.map(({ sequence }) => sequence);
              const sequences = new Set(await redis.tallyUnmarked(shard, live, own[0]?.producer ?? "", ...all));
              return own.filter(({ sequence }) => sequences.has(String(sequence)));
            }),
          ),
        );
        return [...new Set(missing.flat())];
      }),
  };
}
