import type { RankingsRedis } from "./open-redis.ts";

// About 1 ms for each portion of a board of a million.
const portion = 1000;

/** All members of a board with their scores, as stored; `prefix`: its shard and generation. Never blocks Redis for long. */
export async function scoresOf(
  redis: RankingsRedis,
  prefix: string,
  board: string,
): Promise<ReadonlyMap<string, string>> {
  const isInHash = async (): Promise<boolean> => ![null, "all"].includes(await redis.hget(`${prefix}:floors`, board));
  let inHash = await isInHash();
  for (;;) {
    const scores = new Map<string, string>();
    let cursor = "0";
    do {
      const [next, flat] = await (inHash
        ? redis.hscan(`${prefix}:c:${board}`, cursor, "COUNT", portion)
        : redis.zscan(`${prefix}:b:${board}`, cursor, "COUNT", portion));
      for (const [member, score] of pairsOf(flat)) scores.set(member, score);
      cursor = next;
    } while (cursor !== "0");
    // The board may have changed its form meanwhile, at most twice in its life: from small to large and back.
    const isNow = await isInHash();
    if (isNow === inHash) return scores;
    inHash = isNow;
  }
}

/** Pairs of a flat reply: a member, its score, the next. */
export function pairsOf(flat: readonly string[]): (readonly [member: string, score: string])[] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] ?? "", flat[2 * i + 1] ?? ""] as const);
}
