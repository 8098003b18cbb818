import { masterOfKey, mastersWithSlotOf } from "../connection/masters-of.ts";
import type { RankingsRedis } from "./open-redis.ts";

/**
 * All keys with a prefix that names a shard, in portions; a key may occur twice. Scans all keys of the Redis, in a cluster those of the
 * shard's master, without blocking it. While the shard's slot moves, two masters have keys of it: both are scanned, first the one that the
 * keys leave.
 */
export async function* keysOfShard(redis: RankingsRedis, prefix: string): AsyncGenerator<readonly string[]> {
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
