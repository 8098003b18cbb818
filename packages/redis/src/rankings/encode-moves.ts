import { crc32 } from "node:zlib";
import { Moves, type MirroredBoards, type RankingMessage } from "@tally/contract";
import { Packr } from "msgpackr";
import type { Id } from "./rankings.ts";

// Plain MessagePack, which the Lua of Redis reads: without records, an extension of this library.
export const packr = new Packr({ useRecords: false });

type List = (string | number)[];
type AddedMoves = Pick<Moves, "add" | "addMirrored">;

/*
 * Redis orders members of equal score by their bytes, which would place "100" before "9". So the count of its digits
 * precedes a number: 95351 is "595351". Up to nine digits Redis still stores the whole as an integer, in 2 to 8 bytes.
 */
const digitCounts = "0123456789abcdefg";
const number = /^(0|[1-9][0-9]{0,15})$/;

/** The member of a sorted set for an id. Text that is not a decimal number sorts after all numbers. */
export function encodeMember(id: Id): string {
  const text = String(id);
  return typeof id === "number" || number.test(id) ? digitCounts.charAt(text.length) + text : `z${text}`;
}

/** The id of a text. Numbers take less memory and time. */
export function idOf(text: string): Id {
  return number.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER ? Number(text) : text;
}

export function decodeMember(member: string): string {
  return member.slice(1);
}

/** Encodes the moves of a batch for the scripts, one buffer for each shard: a list of boards, board, [member, change of
 * score, …], …; and one of mirrored counts, prefix, mirror prefix, [member, [key, change of score, …], …], …. A
 * mirrored count is in the shard of its key's board, so boards are joined only where there is one shard.
 *
 * A score is the negated count: ascending order is then "highest count first, then the smaller id", and the top of
 * a board is its beginning. About 1 µs for a purchase of 5 items. */
export function encodeMoves(
  moves: Pick<Moves, "boards" | "mirrored" | "split">,
  shards: number,
): Pick<RankingMessage, "shards"> {
  const lists = Array.from({ length: shards }, () => ({
    boards: [] as (string | List)[],
    mirrored: [] as (string | List | (string | List)[])[],
  }));
  for (const [board, members] of moves.boards()) {
    const changes: List = [];
    for (const [member, by] of members) if (by !== 0) changes.push(encodeMember(member), -by);
    if (changes.length > 0) lists[shardOf(board, shards)]?.boards.push(board, changes);
  }
  for (const [{ prefix, mirrorPrefix }, members] of shards === 1 ? moves.mirrored() : moves.split()) {
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
  return { shards: lists.map(({ boards, mirrored }) => packr.pack([boards, mirrored])) };
}

/** The shard of a board; the board of a member of mirrored counts is in all shards. */
export function shardOf(board: string, shards: number): number {
  return shards === 1 ? 0 : crc32(board) % shards;
}

/** The shards of a ranking message for a number of shards. Messages with another number are encoded again, 2 µs for a
 * purchase of 5 items: they waited while the number changed, or their writer has another RANKING_SHARDS. */
export function fitShards(message: RankingMessage, count: number): readonly Buffer[] {
  if (message.shards.length === count) return message.shards;
  const moves = new Moves();
  addMoves(message, moves);
  return encodeMoves(moves, count).shards;
}

/** Adds the moves of a message to others: the inverse of encodeMoves. */
export function addMoves({ shards }: Pick<RankingMessage, "shards">, moves: AddedMoves): void {
  const kinds = new Map<string, MirroredBoards>();
  for (const shard of shards) {
    const lists: unknown = packr.unpack(shard);
    if (!Array.isArray(lists)) throw new TypeError("expected a list of boards");
    addLists(moves, lists, kinds);
  }
}

/** `kinds`: the mirrored boards so far, by their prefixes. */
function addLists(
  moves: AddedMoves,
  [boards, mirrored]: readonly unknown[][],
  kinds: Map<string, MirroredBoards>,
): void {
  for (const [board, changes] of pairsOf(boards))
    for (const [member, by] of pairsOf(changes)) moves.add(String(board), decodeMember(String(member)), -Number(by));
  for (let i = 0; i < (mirrored?.length ?? 0); i += 3) {
    const [prefix, mirrorPrefix, groups] = mirrored?.slice(i, i + 3) ?? [];
    const name = JSON.stringify([prefix, mirrorPrefix]);
    const kind = kinds.get(name) ?? { prefix: String(prefix), mirrorPrefix: String(mirrorPrefix) };
    kinds.set(name, kind);
    for (const [member, counts] of pairsOf(groups))
      for (const [key, by] of pairsOf(counts)) moves.addMirrored(kind, String(key), String(member), -Number(by));
  }
}

function pairsOf(list: unknown): readonly (readonly [unknown, unknown])[] {
  if (!Array.isArray(list)) throw new TypeError("expected a list of pairs");
  return Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i], list[2 * i + 1]] as const);
}
