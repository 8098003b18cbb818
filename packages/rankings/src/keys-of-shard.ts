import { masterOfKey } from "@tally/redis";
import type { RankingsRedis } from "./open-redis.ts";

/**
 * All keys with a prefix that names a shard, in portions; a key may occur twice. Scans all keys of the Redis, in a cluster those of the
 * shard's master, without blocking it. If the shard moves to another master meanwhile, that one is scanned as well.
 */
export async function* keysOfShard(redis: RankingsRedis, prefix: string): AsyncGenerator<readonly string[]> {
  const pattern = `${prefix.replaceAll(/[*?[\]\\]/g, String.raw`\$&`)}*`;
  // Waits until the masters are known.
  await redis.exists(prefix);
  let master = masterOfKey(redis, prefix);
  while (master !== undefined) {
    let cursor = "0";
    do {
      const [next, keys] = await master.scan(cursor, "MATCH", pattern, "COUNT", 2000);
      if (keys.length > 0) yield keys;
      cursor = next;
    } while (cursor !== "0");
    const next = masterOfKey(redis, prefix);
    if (next === master) return;
    master = next;
  }
  throw new Error("no master of the cluster serves the shard");
}
