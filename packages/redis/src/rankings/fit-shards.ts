import { Moves, type MirroredBoards, type RankingMessage } from "@tally/contract";
import { encodeMoves, packr } from "./encode-moves.ts";
import { decodeMember } from "./member.ts";

/**
 * The shards of a ranking message for a number of shards. A writer that knows this number has sent them so, and they are returned as they are. Others are
 * decoded and encoded again, 2 µs for a purchase of 5 lines: those that waited in a queue or in the ledger while the number changed, those of
 * a writer whose RANKING_SHARDS is another one, and those in the form before mirrored counts.
 */
export function fitShards(
  message: RankingMessage,
  mirrors: readonly MirroredBoards[],
  count: number,
): readonly Buffer[] {
  if (message.version === 2 && message.shards.length === count) return message.shards;
  const moves = new Moves();
  for (const shard of message.shards) {
    const lists: unknown = packr.unpack(shard);
    if (!Array.isArray(lists)) throw new TypeError("expected a list of boards");
    if (message.version === 1) addEarlier(moves, lists, mirrors);
    else addCurrent(moves, lists, mirrors);
  }
  return encodeMoves(moves, count).shards;
}

/** The inverse of encodeMoves. */
function addCurrent(moves: Moves, [boards, mirrored]: readonly unknown[][], mirrors: readonly MirroredBoards[]): void {
  for (const [board, changes] of pairsOf(boards))
    for (const [member, by] of pairsOf(changes)) moves.add(String(board), decodeMember(String(member)), -Number(by));
  for (let i = 0; i < (mirrored?.length ?? 0); i += 3) {
    const [prefix, , groups] = mirrored?.slice(i, i + 3) ?? [];
    const boardsOf = mirrors.find((one) => one.prefix === prefix);
    if (boardsOf === undefined) throw new TypeError(`unknown mirrored boards ${String(prefix)}`);
    for (const [member, counts] of pairsOf(groups))
      for (const [key, by] of pairsOf(counts)) moves.addMirrored(boardsOf, String(key), String(member), -Number(by));
  }
}

function pairsOf(list: unknown): readonly (readonly [unknown, unknown])[] {
  if (!Array.isArray(list)) throw new TypeError("expected a list of pairs");
  return Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i], list[2 * i + 1]] as const);
}

/** Writers before mirrored counts sent, for each shard, [board, [member, change of score, …], …] with each mirrored count on two boards. */
function addEarlier(moves: Moves, list: readonly unknown[], mirrors: readonly MirroredBoards[]): void {
  for (const [board, changes] of pairsOf(list)) addBoard(moves, String(board), changes, mirrors);
}

function addBoard(moves: Moves, board: string, changes: unknown, mirrors: readonly MirroredBoards[]): void {
  if (mirrors.some(({ mirrorPrefix }) => board.startsWith(mirrorPrefix))) return;
  const mirror = mirrors.find(({ prefix }) => board.startsWith(prefix));
  for (const [encoded, change] of pairsOf(changes)) {
    const member = decodeMember(String(encoded));
    const by = -Number(change);
    if (mirror === undefined) moves.add(board, member, by);
    else moves.addMirrored(mirror, board.slice(mirror.prefix.length), member, by);
  }
}
