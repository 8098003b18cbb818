import { crc32 } from "node:zlib";
import type { Moves, RankingMessage } from "@tally/contract";
import { Packr } from "msgpackr";
import { encodeMember } from "./member.ts";

// Plain MessagePack, which the Lua of Redis reads: without records, an extension of this library.
export const packr = new Packr({ useRecords: false });

type List = (string | number)[];

/**
 * Encodes the moves of a batch for the scripts, one buffer for each shard: a list of boards, board, [member, change of score, …], …; and
 * one of mirrored counts, prefix, mirror prefix, [member, [key, change of score, …], …], …. A mirrored count is in the shard of its key's
 * board.
 *
 * A score is the negated count: ascending order is then "highest count first, then the smaller id" (contract, section 5), and the top of a
 * board is its beginning. About 1 µs for a purchase of 5 lines.
 */
export function encodeMoves(
  moves: Pick<Moves, "boards" | "mirrored">,
  shards: number,
): Pick<RankingMessage, "version" | "shards"> {
  const lists = Array.from({ length: shards }, () => ({
    boards: [] as (string | List)[],
    mirrored: [] as (string | List | (string | List)[])[],
  }));
  for (const [board, members] of moves.boards()) {
    const changes: List = [];
    for (const [member, by] of members) if (by !== 0) changes.push(encodeMember(member), -by);
    if (changes.length > 0) lists[shardOf(board, shards)]?.boards.push(board, changes);
  }
  for (const [{ prefix, mirrorPrefix }, members] of moves.mirrored()) {
    const groups = lists.map((): (string | List)[] => []);
    for (const [member, counts] of members) {
      const changes = lists.map((): List => []);
      for (let i = 0; i < counts.length; i += 2) {
        const key = counts[i] ?? "";
        changes[shardOf(prefix + key, shards)]?.push(key, -Number(counts[i + 1]));
      }
      for (const [shard, own] of changes.entries()) if (own.length > 0) groups[shard]?.push(member, own);
    }
    for (const [shard, own] of groups.entries())
      if (own.length > 0) lists[shard]?.mirrored.push(prefix, mirrorPrefix, own);
  }
  return { version: 2, shards: lists.map(({ boards, mirrored }) => packr.pack([boards, mirrored])) };
}

/**
 * Returns the shard of a board; the board of a member of mirrored counts is in all shards. Another number of shards is another
 * generation.
 */
export function shardOf(board: string, shards: number): number {
  return shards === 1 ? 0 : crc32(board) % shards;
}
