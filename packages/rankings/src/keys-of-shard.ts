import type { RankingsRedis } from "./open-redis.ts";

/** All keys with a prefix, in portions; a key may occur twice. Scans all keys of the Redis without blocking it. */
export async function* keysOfShard(redis: RankingsRedis, prefix: string): AsyncGenerator<readonly string[]> {
  const pattern = `${prefix.replaceAll(/[*?[\]\\]/g, String.raw`\$&`)}*`;
  let cursor = "0";
  do {
    const [next, keys] = await redis.scan(cursor, "MATCH", pattern, "COUNT", 2000);
    if (keys.length > 0) yield keys;
    cursor = next;
  } while (cursor !== "0");
}
