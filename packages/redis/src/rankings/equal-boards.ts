import { hash } from "node:crypto";
import { setImmediate as immediate } from "node:timers/promises";
import { seriesOfBoard, type MirroredBoards } from "@tally/contract";
import { encodeMember, shardOf } from "./encode-moves.ts";
import type { Shards } from "./live-shards.ts";
import type { Board } from "./rankings.ts";
import type { RankingsRedis } from "./scripts.ts";

// A call blocks Redis for about a millisecond.
const cellsPerCall = 2000;

/** Redis sends a digest of each board of a key instead of its cells: half of the CPU of an audit. */
export async function equalBoards(
  redis: RankingsRedis,
  { keys, live }: Shards,
  boards: readonly Board[],
  mirrors: readonly MirroredBoards[],
): Promise<ReadonlySet<string>> {
  const calls: Promise<readonly Board[]>[] = [];
  const send = async (shard: string, some: readonly Board[]): Promise<readonly Board[]> => {
    if (some.length === 0) return [];
    const asked = redis.tallyDigests(shard, live, ...some.map(({ board }) => board));
    // The calls of this turn are sent first: Redis works meanwhile.
    const expected = immediate().then(() => some.map(({ cells }) => digestOf(cells)));
    const [digests, own] = await Promise.all([asked, expected]);
    return some.filter((_, index) => digests[index] === own[index]);
  };
  const waiting = keys.map((key) => ({ key, boards: [] as Board[], cells: 0 }));
  for (const one of boards) {
    const { length } = seriesOfBoard(one.board);
    if (!mirrors.some(({ prefix }) => one.board.startsWith(prefix, length && length + 1))) continue;
    const shard = waiting[shardOf(one.board, keys.length)];
    shard?.boards.push(one);
    if (shard === undefined || (shard.cells += one.cells.length) < cellsPerCall) continue;
    calls.push(send(shard.key, shard.boards.splice(0)));
    shard.cells = 0;
  }
  for (const shard of waiting) calls.push(send(shard.key, shard.boards));
  return new Set((await Promise.all(calls)).flat().map(({ board }) => board));
}

/** As lua/digests.lua. Ids are decimal numbers. */
function digestOf(cells: Board["cells"]): string {
  const places = cells.toSorted(([a, x], [b, y]) => y - x || Number(a) - Number(b));
  return hash("sha1", places.map(([id, count]) => `${encodeMember(id)} ${-count}`).join(" "));
}
