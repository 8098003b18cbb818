import type { RankingsRedis } from "./open-redis.ts";

// About 1 ms for each portion of a board of a million.
const portion = 1000;

/** All members of a board with their scores, as stored; `prefix`: its shard and generation. Never blocks Redis for long. */
export async function scoresOf(
  redis: RankingsRedis,
  prefix: string,
  board: string,
): Promise<ReadonlyMap<string, string>> {
  const isInHash = async (): Promise<boolean> => (await floorOf(redis, prefix, board)) !== "all";
  let inHash = await isInHash();
  for (;;) {
    const scores = await (inHash
      ? scan((cursor) => redis.hscan(`${prefix}:c:${board}`, cursor, "COUNT", portion))
      : sortedScores(redis, prefix, board));
    // All members may have returned to the sorted set meanwhile, once in the life of a board.
    const isNow = await isInHash();
    if (isNow === inHash) return scores;
    inHash = isNow;
  }
}

/** The sorted set of a board: its best members, or all. */
export function sortedScores(
  redis: RankingsRedis,
  prefix: string,
  board: string,
): Promise<ReadonlyMap<string, string>> {
  return scan((cursor) => redis.zscan(`${prefix}:b:${board}`, cursor, "COUNT", portion));
}

/** Where the sorted set of a board ends: see move-script.ts. */
export function floorOf(redis: RankingsRedis, prefix: string, board: string): Promise<string | null> {
  return redis.hget(`${prefix}:floors`, board);
}

/** Pairs of a flat reply: a member, its score, the next. */
export function pairsOf(flat: readonly string[]): (readonly [member: string, score: string])[] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] ?? "", flat[2 * i + 1] ?? ""] as const);
}

async function scan(next: (cursor: string) => Promise<[string, string[]]>): Promise<Map<string, string>> {
  const scores = new Map<string, string>();
  let cursor = "0";
  do {
    const [following, flat] = await next(cursor);
    for (const [member, score] of pairsOf(flat)) scores.set(member, score);
    cursor = following;
  } while (cursor !== "0");
  return scores;
}
