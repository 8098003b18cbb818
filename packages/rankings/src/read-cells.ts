import type { MirroredBoards } from "@tally/pipeline";
import { shardOf } from "./encode-moves.ts";
import { decodeMember, encodeMember } from "./member.ts";
import type { RankingsRedis } from "./open-redis.ts";
import type { BoardCells } from "./rankings.ts";

// About 1 ms for each portion of a board of a million.
const portion = 1000;

/** Member → score, as stored. */
type Scores = Map<string, string>;

/**
 * Reads all that Redis keeps of a board, without blocking it for long. `prefixes`: each shard with its generation. Where the sorted set, which
 * rankings are read from, differs from the hash, its scores are returned: the audit finds either wrong.
 */
export async function readCells(
  redis: RankingsRedis,
  prefixes: readonly string[],
  board: string,
  mirrors: readonly MirroredBoards[],
): Promise<BoardCells> {
  const mirror = mirrors.find(({ mirrorPrefix }) => board.startsWith(mirrorPrefix));
  if (mirror !== undefined) return readBest(redis, prefixes, board, mirror);
  const prefix = prefixes[shardOf(board, prefixes.length)] ?? "";
  const isMirrored = mirrors.some((one) => board.startsWith(one.prefix));
  const scores = await (isMirrored ? readSorted : readBoth)(redis, prefix, board);
  return { cells: decoded(scores), keeps: () => true };
}

/** The board of a member of mirrored counts: each shard has the best of its keys. */
async function readBest(
  redis: RankingsRedis,
  prefixes: readonly string[],
  board: string,
  { prefix: keyPrefix }: MirroredBoards,
): Promise<BoardCells> {
  const shards = await Promise.all(
    prefixes.map(async (prefix) => ({
      floor: await readFloor(redis, prefix, board),
      cells: decoded(await readSorted(redis, prefix, board)),
    })),
  );
  return {
    cells: new Map(shards.flatMap(({ cells }) => [...cells])),
    keeps: (key, count) =>
      isAtOrBefore(shards[shardOf(keyPrefix + key, shards.length)]?.floor ?? null, encodeMember(key), -count),
  };
}

async function readBoth(redis: RankingsRedis, prefix: string, board: string): Promise<Scores> {
  const floor = await readFloor(redis, prefix, board);
  const best = await readSorted(redis, prefix, board);
  if (floor === "all") return best;
  const all = await scan((cursor) => redis.hscan(`${prefix}:c:${board}`, cursor, "COUNT", portion));
  // All members may have returned to the sorted set meanwhile, once in the life of a board.
  if ((await readFloor(redis, prefix, board)) === "all") return readSorted(redis, prefix, board);
  const isReturning = floor?.startsWith("back ") === true;
  for (const [member, score] of all) {
    if (!isReturning && !best.has(member) && isAtOrBefore(floor, member, Number(score))) all.delete(member);
  }
  for (const [member, score] of best) all.set(member, score);
  return all;
}

function readSorted(redis: RankingsRedis, prefix: string, board: string): Promise<Scores> {
  return scan((cursor) => redis.zscan(`${prefix}:b:${board}`, cursor, "COUNT", portion));
}

/** Where the sorted set of a board ends: see move-script.ts. */
function readFloor(redis: RankingsRedis, prefix: string, board: string): Promise<string | null> {
  return redis.hget(`${prefix}:floors`, board);
}

/** `floor`: "score member", or null before the first cut. */
function isAtOrBefore(floor: string | null, member: string, score: number): boolean {
  if (floor === null) return true;
  const space = floor.indexOf(" ");
  const floorScore = Number(floor.slice(0, space));
  if (score !== floorScore) return score < floorScore;
  return Buffer.compare(Buffer.from(member), Buffer.from(floor.slice(space + 1))) <= 0;
}

/** Pairs of a flat reply: a member, its score, the next. */
export function pairsOf(flat: readonly string[]): (readonly [member: string, score: string])[] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] ?? "", flat[2 * i + 1] ?? ""] as const);
}

async function scan(next: (cursor: string) => Promise<[string, string[]]>): Promise<Scores> {
  const scores: Scores = new Map();
  let cursor = "0";
  do {
    const [following, flat] = await next(cursor);
    for (const [member, score] of pairsOf(flat)) scores.set(member, score);
    cursor = following;
  } while (cursor !== "0");
  return scores;
}

function decoded(scores: Scores): Map<string, number> {
  return new Map(Array.from(scores, ([member, score]) => [decodeMember(member), -Number(score)]));
}
