import { crc32 } from "node:zlib";
import { Packr } from "msgpackr";
import { encodeMember } from "./member.ts";

/** What is to be moved: each board once, with each of its members once. */
export interface BoardMoves {
  boards(): Iterable<[board: string, members: ReadonlyMap<string, number>]>;
}

// Plain MessagePack, as the Lua of Redis reads it; no records, which are an extension of this library.
const packr = new Packr({ useRecords: false });

/**
 * The moves of a batch as the apply script reads them, one buffer for each shard (an empty list where it has none):
 * [board, [member, change of score, …], …]. A score is the count negated: so ascending order is "highest count first,
 * then the smaller id" (contract, section 5), and the top of a board is its beginning.
 */
export function encodeMoves(moves: BoardMoves, shards: number): readonly Buffer[] {
  const lists = Array.from({ length: shards }, (): (string | (string | number)[])[] => []);
  for (const [board, members] of moves.boards()) {
    const changes: (string | number)[] = [];
    for (const [member, by] of members) if (by !== 0) changes.push(encodeMember(member), -by);
    if (changes.length > 0) lists[shardOf(board, shards)]?.push(board, changes);
  }
  return lists.map((list) => packr.pack(list));
}

/** The shard that holds a board. Changing the number of shards moves boards: it needs a rebuild. */
export function shardOf(board: string, shards: number): number {
  return shards === 1 ? 0 : crc32(board) % shards;
}
