import type { MirroredBoards } from "@tally/contract";
import type { Redis } from "../connection/redis.ts";
import { decodeMember, encodeMember, shardOf } from "./encode-moves.ts";
import { topLimitMax, type BoardCells } from "./rankings.ts";

// About 1 ms for each portion of a board of a million.
const portion = 1000;

/** Member → score, as stored. */
type Scores = Map<string, string>;

/**
 * Reads all that Redis keeps of a board, without blocking it for long. `prefixes`: each shard with its generation.
 * Where the sorted set, which rankings are read from, differs from the hash, `cells` has its count and `alsoStored`
 * that of the hash.
 */
export async function boardCells(
  redis: Redis,
  prefixes: readonly string[],
  board: string,
  mirrors: readonly MirroredBoards[],
): Promise<BoardCells> {
  const mirror = mirrors.find(({ mirrorPrefix }) => board.startsWith(mirrorPrefix));
  if (mirror !== undefined) return readBest(redis, prefixes, board, mirror);
  const prefix = prefixes[shardOf(board, prefixes.length)] ?? "";
  const isMirrored = mirrors.some((one) => board.startsWith(one.prefix));
  const { scores, inHash } = isMirrored
    ? { scores: await readSorted(redis, prefix, board), inHash: new Map<string, string>() }
    : await readBoth(redis, prefix, board);
  return { cells: decoded(scores), keeps: () => true, alsoStored: decoded(inHash) };
}

/** The board of a member of mirrored counts: each shard has the best of its keys. */
async function readBest(
  redis: Redis,
  prefixes: readonly string[],
  board: string,
  { prefix: keyPrefix }: MirroredBoards,
): Promise<BoardCells> {
  const shards = await Promise.all(
    prefixes.map(async (prefix) => {
      const floor = await readFloor(redis, prefix, board);
      const cells = decoded(await readSorted(redis, prefix, board));
      return { floor: trusted(floor, cells.size), cells };
    }),
  );
  return {
    cells: new Map(shards.flatMap(({ cells }) => [...cells])),
    alsoStored: new Map(),
    keeps: (key, count) =>
      isAtOrBefore(shards[shardOf(keyPrefix + key, shards.length)]?.floor ?? null, encodeMember(key), -count),
  };
}

/**
 * `inHash`: scores in the hash of members that the sorted set has with another one; 0 for those that the hash lacks.
 */
async function readBoth(
  redis: Redis,
  prefix: string,
  board: string,
): Promise<{ readonly scores: Scores; readonly inHash: Scores }> {
  const inHash: Scores = new Map();
  const floor = await readFloor(redis, prefix, board);
  const best = await readSorted(redis, prefix, board);
  if (floor === "all") return { scores: best, inHash };
  const all = await scan((cursor) => redis.hscan(`${prefix}:c:${board}`, cursor, "COUNT", portion));
  // All members may have returned to the sorted set meanwhile, once in the life of a board.
  if ((await readFloor(redis, prefix, board)) === "all")
    return { scores: await readSorted(redis, prefix, board), inHash };
  const isReturning = floor?.startsWith("back ") === true;
  const end = trusted(floor, best.size);
  for (const [member, score] of all) {
    if (!isReturning && !best.has(member) && isAtOrBefore(end, member, Number(score))) all.delete(member);
  }
  for (const [member, score] of best) {
    const stored = all.get(member) ?? "0";
    if (stored !== score) inHash.set(member, stored);
    all.set(member, score);
  }
  return { scores: all, inHash };
}

function readSorted(redis: Redis, prefix: string, board: string): Promise<Scores> {
  return scan((cursor) => redis.zscan(`${prefix}:b:${board}`, cursor, "COUNT", portion));
}

/**
 * A cut leaves more members than a ranking may have. With fewer, the floor is wrong: then all members must be there.
 */
function trusted(floor: string | null, size: number): string | null {
  return size < topLimitMax ? null : floor;
}

/** Where the sorted set of a board ends: see lua/move.lua. */
function readFloor(redis: Redis, prefix: string, board: string): Promise<string | null> {
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
  return new Map(Array.from(scores, ([member, score]) => [decodeMember(member), 0 - Number(score)]));
}
