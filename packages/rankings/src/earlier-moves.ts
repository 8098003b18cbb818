import { Moves, type MirroredBoards, type RankingMessage } from "@tally/pipeline";
import { encodeMoves, packr } from "./encode-moves.ts";
import { decodeMember } from "./member.ts";

/**
 * The shards of a ranking message in today's form. Writers before mirrored counts sent, for each shard, [board, [member, change of score, …],
 * …] with each mirrored count on two boards. Those messages wait in queues and in the ledger.
 */
export function currentShards(message: RankingMessage, mirrors: readonly MirroredBoards[]): readonly Buffer[] {
  if (message.version === 2) return message.shards;
  const moves = new Moves();
  for (const shard of message.shards) {
    const list: unknown = packr.unpack(shard);
    if (!Array.isArray(list)) throw new TypeError("expected a list of boards");
    for (let i = 0; i < list.length; i += 2) addBoard(moves, String(list[i]), list[i + 1], mirrors);
  }
  // Each board is in the same shard as before.
  return encodeMoves(moves, message.shards.length).shards;
}

function addBoard(
  moves: Moves,
  board: string,
  changes: readonly (string | number)[],
  mirrors: readonly MirroredBoards[],
): void {
  if (mirrors.some(({ mirrorPrefix }) => board.startsWith(mirrorPrefix))) return;
  const mirror = mirrors.find(({ prefix }) => board.startsWith(prefix));
  for (let i = 0; i < changes.length; i += 2) {
    const member = decodeMember(String(changes[i]));
    const by = -Number(changes[i + 1]);
    if (mirror === undefined) moves.add(board, member, by);
    else moves.addMirrored(mirror, board.slice(mirror.prefix.length), member, by);
  }
}
