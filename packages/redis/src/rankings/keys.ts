import { masterOfKey, mastersWithSlotOf } from "../connection/cluster.ts";
import type { Redis } from "../connection/redis.ts";

/*
 * All keys of one shard share a hash tag, so they live in one slot of a Redis Cluster:
 * "tally" is the namespace, "v2" the layout, "g" a generation, whose name ends in its number of shards.
 *
 *   tally:{liftrides:0:v2}:generation  the live generation. Absent: none was ever built, or Redis has lost everything
 *                         :builder     the generation that is being built, with a time to live: one at a time
 *                         :checked     "run time": all batches stored up to the time are marked, checked in that run
 *                         :g:b:day:5   the members of a board, or its best: sorted set, score = negated count
 *                         :g:c:day:5   all members with their scores: hash; absent for mirrored counts
 *                         :g:floors    board -> the last place in its sorted set; see lua/move.lua
 *                         :g:applied:<hex>  the marks of a producer, one bit for each batch: it is ranked
 *                         :g:as-of     when the newest ranked batch was stored, ms since 1970
 *                         :g:in-ledger the same of the newest one that was found in the ledger, in the first shard
 *                         :g:dirty     why this generation is wrong: a script failed half-way
 *                         :g:loaded    while it is built: one bit for each chunk that was loaded
 *
 * While no generation is live, batches are ranked in one called "1", so that traffic is ranked from its first batch.
 */

/** The prefix of every key of a shard. */
export function shardKey(namespace: string, domain: string, shard: number): string {
  return `${namespace}:{${domain}:${shard}:v2}`;
}

/** The generation while none is live; a built one never has this name. */
export const firstGeneration = "1";

/**
 * All keys with a prefix that names a shard, in portions; a key may occur twice. Scans all keys of the Redis, in a
 * cluster those of the shard's master, without blocking it. While the shard's slot moves, two masters have keys of it:
 * both are scanned, first the one that the keys leave.
 */
export async function* keysOfShard(redis: Redis, prefix: string): AsyncGenerator<readonly string[]> {
  const pattern = `${prefix.replaceAll(/[*?[\]\\]/g, String.raw`\$&`)}*`;
  // Waits until the masters are known.
  await redis.exists(prefix);
  const scanned = new Set<unknown>();
  for (;;) {
    const owner = masterOfKey(redis, prefix);
    if (owner === undefined) throw new Error("no master of the cluster serves the shard");
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
