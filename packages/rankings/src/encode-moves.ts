import { crc32 } from "node:zlib";
import type { Moves } from "@tally/pipeline";
import { Packr } from "msgpackr";
import { encodeMember } from "./member.ts";

// Plain MessagePack, which the Lua of Redis reads: without records, an extension of this library.
export const packr = new Packr({ useRecords: false });

/**
 * Encodes the moves of a batch for the apply script, one buffer for each shard (an empty list where it has none):
 * [board, [member, change of score, …], …]. A score is the negated count: ascending order is then "highest count first, then the smaller
 * id" (contract, section 5), and the top of a board is its beginning.
 */
export function encodeMoves(moves: Pick<Moves, "boards">, shards: number): readonly Buffer[] {
  const lists = Array.from({ length: shards }, (): (string | (string | number)[])[] => []);
  for (const [board, members] of moves.boards()) {
    const changes: (string | number)[] = [];
    for (const [member, by] of members) if (by !== 0) changes.push(encodeMember(member), -by);
    if (changes.length > 0) lists[shardOf(board, shards)]?.push(board, changes);
  }
  return lists.map((list) => packr.pack(list));
}

/** Returns the shard of a board. A change of the number of shards moves boards and needs a rebuild. */
export function shardOf(board: string, shards: number): number {
  return shards === 1 ? 0 : crc32(board) % shards;
}
