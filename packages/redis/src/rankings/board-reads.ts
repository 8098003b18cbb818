import { firstLiveDay, isKeptBoard, onlyAllTime, seriesOfBoard, sumOfCounts } from "@tally/contract";
import type { KeptSeries, MirroredBoards } from "@tally/contract";
import { boardKind } from "./board-kind.ts";
import { decodeMember, encodeMember, shardOf } from "./encode-moves.ts";
import { keysOfShard, type LiveShards } from "./live-shards.ts";
import {
  RankingsUnavailable,
  replyOf,
  topLimitMax,
  type BoardCells,
  type BoardToRead,
  type Rankings,
} from "./rankings.ts";
import type { RankingsRedis } from "./scripts.ts";
import type { Redis } from "../connection/redis.ts";

export function boardReads(
  redis: RankingsRedis,
  shards: LiveShards,
  mirrorsOf: (domain: string) => readonly MirroredBoards[],
): Pick<Rankings, "top" | "count" | "cells" | "boards" | "marks"> {
  const cells: Rankings["cells"] = async (domain, boards) => {
    const prefixes = await shards.prefixes(domain);
    return Promise.all(boards.map((board) => boardCells(redis, prefixes, board, mirrorsOf(domain))));
  };
  return {
    async top(domain, board, limit) {
      if (limit > topLimitMax)
        throw new RangeError(`a board returns at most its first ${topLimitMax} members, not ${limit}`);
      const { name } = boardKind(mirrorsOf(domain), board);
      const read = (most: number) =>
        replyOf(
          shards.call(domain, ({ keys, live }) => {
            // Each shard holds some of the members, so the best of all shards are merged.
            const own = name === "other" || name === "key" ? [keys[shardOf(board, keys.length)] ?? ""] : keys;
            return Promise.all(own.map((shard) => redis.tallyTop(shard, live, board, most)));
          }),
        );
      let tops = await read(name === "members" ? 0 : limit);
      // The counts of one key or member can be counted from few rows instead, others cannot.
      if (name !== "key" && name !== "member" && tops.some(([, , lacks]) => lacks === 2))
        throw new RankingsUnavailable(undefined);
      // Too many of the best were taken back, or a store that is low in each shard is high: all sums are needed.
      const areSums = name === "members" || (name === "keys" && tops.some(([, , lacks]) => lacks !== 0));
      if (areSums && name === "keys") tops = await read(0);
      const found = tops.flatMap(([, flat]) => pairsOf(flat));
      const places = areSums
        ? Array.from(summed([found]), ([id, sum]) => [encodeMember(id), `${-sum}`] as const)
        : found;
      if (areSums || tops.length > 1) places.sort(inOrder);
      const best = places.slice(0, limit);
      const entries = best.map(([member, score]) => ({ member: decodeMember(member), count: -Number(score) }));
      const isExact = tops.every(
        ([storedAt, , lacks, kept]) => lacks === 0 && isLive(board, Number(storedAt ?? 0), seriesOfText(kept)),
      );
      // A generation built without batches has as-of 0.
      const asOf = Math.max(...tops.map(([one]) => Number(one ?? 0))) || undefined;
      const total = name === "members" && { total: sumOf(places.map(([, score]) => -Number(score))) };
      return { entries, isExact, asOf, ...total };
    },

    async count(domain, board, member) {
      const { name, mirror } = boardKind(mirrorsOf(domain), board);
      if (name === "keys" || name === "members") {
        const [found] = await replyOf(cells(domain, [{ board, members: [member] }]));
        return found?.cells.get(member) ?? 0;
      }
      // The board of a member of mirrored counts keeps only its best; that of the key has all.
      const [place, id] =
        name === "member" ? [mirror.prefix + member, board.slice(mirror.mirrorPrefix.length)] : [board, member];
      const score = await replyOf(
        shards.call(domain, ({ keys, live }) =>
          redis.tallyScore(keys[shardOf(place, keys.length)] ?? "", live, place, encodeMember(id)),
        ),
      );
      return -Number(score ?? 0) + 0;
    },

    cells,

    async *boards(domain) {
      for (const generation of await shards.prefixes(domain)) {
        const isBoard = (key: string) => /^:[bc]:/.test(key.slice(generation.length));
        for await (const keys of keysOfShard(redis, `${generation}:`))
          yield keys.filter(isBoard).map((key) => key.slice(generation.length + 3));
      }
    },

    async *marks(domain) {
      for (const generation of await shards.prefixes(domain)) yield marksOf(redis, `${generation}:applied:`);
    },
  };
}

/** The series of a generation. */
export function seriesOfText(text: string | null): KeptSeries | undefined {
  // Written by noteSeries of new-generation.ts.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return text === null ? undefined : (JSON.parse(text) as KeptSeries);
}

/** `asOf`: when the newest batch was stored, by the clock that decides which days it moved. This one may be behind. */
export function isLive(board: string, asOf: number, kept: KeptSeries = onlyAllTime): boolean {
  const { from } = kept;
  // The clock is read only for the boards of days.
  if (from === undefined || seriesOfBoard(board) === "") return isKeptBoard(board, kept);
  return isKeptBoard(board, { ...kept, from: Math.max(from, firstLiveDay(Math.max(asOf, Date.now()))) });
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sumOfCounts(sum, count), 0);

/** The counts of all shards, by id. A sum of 0 is on no board. */
function summed(shards: readonly Iterable<readonly [id: string, score: string]>[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const scores of shards)
    for (const [id, score] of scores) sums.set(id, sumOfCounts(sums.get(id), -Number(score)));
  for (const [id, sum] of sums) if (sum === 0) sums.delete(id);
  return sums;
}

async function marksOf(redis: RankingsRedis, prefix: string): Promise<ReadonlyMap<string, Buffer>> {
  const marks = new Map<string, Buffer>();
  for await (const keys of keysOfShard(redis, prefix)) {
    const found = await Promise.all(keys.map((key) => redis.getBuffer(key)));
    for (const [index, key] of keys.entries()) marks.set(key.slice(prefix.length), found[index] ?? Buffer.alloc(0));
  }
  return marks;
}

// As Redis orders a sorted set.
function inOrder([a, x]: readonly [string, string], [b, y]: readonly [string, string]): number {
  return Number(x) - Number(y) || Buffer.compare(Buffer.from(a), Buffer.from(b));
}

// About 1 ms for each portion of a board of a million.
const portion = 1000;

/** Member → score, as stored. */
type Scores = Map<string, string>;

/** Reads all that Redis keeps of a board or of some members, without blocking it for long. `prefixes`: each shard with
 * its generation. Where the sorted set differs from the hash, `cells` has its count and `alsoStored` that of the hash.
 */
export async function boardCells(
  redis: Redis,
  prefixes: readonly string[],
  { board, members, cellsOnly = false }: BoardToRead,
  allTime: readonly MirroredBoards[],
): Promise<BoardCells> {
  const { name, mirror } = boardKind(allTime, board);
  const of = (prefix: string): BoardInShard => ({ redis, prefix, board, members: members?.map(encodeMember) });
  if (name === "member") return readBest(prefixes.map(of), mirror);
  if (name === "keys" || name === "members") {
    const found = await Promise.all(
      prefixes.map((prefix) => readHash({ ...of(prefix), members: members?.map(String) })),
    );
    const cells = summed(found);
    const isRanked = name === "keys" && !cellsOnly;
    return {
      cells,
      keeps: () => true,
      alsoStored: isRanked ? wrongBest(await readBest(prefixes.map(of), mirror), cells) : new Map(),
    };
  }
  const shard = of(prefixes[shardOf(board, prefixes.length)] ?? "");
  const { scores, inHash } =
    name === "key" ? { scores: await readSorted(shard), inHash: new Map<string, string>() } : await readBoth(shard);
  return { cells: decoded(scores), keeps: () => true, alsoStored: decoded(inHash) };
}

interface BoardInShard {
  readonly redis: Redis;
  readonly prefix: string;
  readonly board: string;
  /** Encoded; undefined: all. */
  readonly members: readonly string[] | undefined;
}

/** The board of a member of mirrored counts: each shard has the best of its keys. */
async function readBest(shards: readonly BoardInShard[], { prefix: keyPrefix }: MirroredBoards): Promise<BoardCells> {
  const best = await Promise.all(
    shards.map(async (shard) => {
      // The floor only rises: a member behind the earlier one was behind it, and one that is absent and at or before the
      // later one was missing.
      const earlier = await floorOf(shard);
      const cells = decoded(await readSorted(shard));
      const behind = [...cells].filter(([key, count]) => !isAtOrBefore(earlier, encodeMember(key), -count));
      return { cells, behind, floor: await floorOf(shard) };
    }),
  );
  // No shard keeps a higher score. Most counts of an audit end here.
  const last = Math.max(...best.map(({ floor }) => (floor === null ? Infinity : scoreOf(floor))));
  return {
    cells: new Map(best.flatMap(({ cells }) => [...cells])),
    alsoStored: new Map(best.flatMap(({ behind }) => behind.map(([key]) => [key, 0] as const))),
    keeps: (key, count) =>
      -count <= last &&
      isAtOrBefore(best[shardOf(keyPrefix + String(key), best.length)]?.floor ?? null, encodeMember(key), -count),
  };
}

async function readHash({ redis, prefix, board, members }: BoardInShard): Promise<Scores> {
  const hash = `${prefix}:c:${board}`;
  return members === undefined
    ? scan((cursor) => redis.hscan(hash, cursor, "COUNT", portion))
    : scoresOf(members, (some) => redis.hmget(hash, ...some));
}

/** The counts of the best that differ from the sums; 0 for one that is missing there. */
function wrongBest(best: BoardCells, sums: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const missing = [...sums].filter(([id, count]) => !best.cells.has(id) && best.keeps(id, count));
  const other = [...best.cells].filter(([id, count]) => sums.get(id) !== count);
  return new Map([...best.alsoStored, ...missing.map(([id]) => [id, 0] as const), ...other]);
}

/** `inHash`: scores of the hash where the sorted set has another one; 0 where the hash lacks the member. */
async function readBoth(shard: BoardInShard): Promise<{ readonly scores: Scores; readonly inHash: Scores }> {
  const inHash: Scores = new Map();
  const floor = await readFloor(shard);
  const best = await readSorted(shard);
  if (floor === "all") return { scores: best, inHash };
  const all = await readHash(shard);
  // All members may have returned to the sorted set meanwhile, once in the life of a board.
  if ((await readFloor(shard)) === "all") return { scores: await readSorted(shard), inHash };
  const isReturning = floor?.startsWith("back ") === true;
  for (const [member, score] of all) {
    if (!isReturning && !best.has(member) && isAtOrBefore(floor, member, Number(score))) all.delete(member);
  }
  for (const [member, score] of best) {
    const stored = all.get(member) ?? "0";
    if (stored !== score) inHash.set(member, stored);
    all.set(member, score);
  }
  return { scores: all, inHash };
}

async function readSorted({ redis, prefix, board, members }: BoardInShard): Promise<Scores> {
  const key = `${prefix}:b:${board}`;
  if (members === undefined) return scan((cursor) => redis.zscan(key, cursor, "COUNT", portion));
  return scoresOf(members, (some) => redis.zmscore(key, ...some));
}

async function scoresOf(
  members: readonly string[],
  read: (some: readonly string[]) => Promise<readonly (string | null)[]>,
): Promise<Scores> {
  const scores: Scores = new Map();
  for (let at = 0; at < members.length; at += portion) {
    const some = members.slice(at, at + portion);
    for (const [index, score] of (await read(some)).entries()) if (score !== null) scores.set(some[index] ?? "", score);
  }
  return scores;
}

/** Where the sorted set of a board ends (see lua/move.lua); null: all members are in it. */
function floorOf({ redis, prefix, board }: BoardInShard): Promise<string | null> {
  return redis.hget(`${prefix}:floors`, board);
}

/** Likewise, of a board with a hash. A cut leaves more members than a ranking may have: with fewer the floor is wrong,
 * and all members must be there. */
async function readFloor(shard: BoardInShard): Promise<string | null> {
  const floor = await floorOf(shard);
  if (floor === null || floor === "all" || floor.startsWith("back ")) return floor;
  return (await shard.redis.zcard(`${shard.prefix}:b:${shard.board}`)) < topLimitMax ? null : floor;
}

const scoreOf = (floor: string): number => Number(floor.slice(0, floor.indexOf(" ")));

/** `floor`: "score member", or null before the first cut. */
function isAtOrBefore(floor: string | null, member: string, score: number): boolean {
  if (floor === null) return true;
  const floorScore = scoreOf(floor);
  if (score !== floorScore) return score < floorScore;
  return Buffer.compare(Buffer.from(member), Buffer.from(floor.slice(floor.indexOf(" ") + 1))) <= 0;
}

/** Pairs of a flat reply: a member, its score, the next. */
function pairsOf(flat: readonly string[]): (readonly [member: string, score: string])[] {
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
