import type { MirroredBoards } from "@tally/pipeline";
import { shardOf } from "./encode-moves.ts";
import { decodeMember, encodeMember } from "./member.ts";
import type { RankingsRedis } from "./open-redis.ts";
import type { BoardCells } from "./rankings.ts";
import { floorOf, scoresOf, sortedScores } from "./scores-of-board.ts";

/** Reads all that Redis keeps of a board. `prefixes`: each shard with its generation. */
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
  return { cells: decoded(await (isMirrored ? sortedScores : scoresOf)(redis, prefix, board)), keeps: () => true };
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
      floor: floorPlace(await floorOf(redis, prefix, board)),
      cells: decoded(await sortedScores(redis, prefix, board)),
    })),
  );
  return {
    cells: new Map(shards.flatMap(({ cells }) => [...cells])),
    keeps(key, count) {
      const floor = shards[shardOf(keyPrefix + key, shards.length)]?.floor;
      if (floor === undefined || -count !== floor.score) return floor === undefined || -count < floor.score;
      return Buffer.compare(Buffer.from(encodeMember(key)), floor.member) <= 0;
    },
  };
}

function floorPlace(floor: string | null): { readonly score: number; readonly member: Buffer } | undefined {
  if (floor === null) return undefined;
  const space = floor.indexOf(" ");
  return { score: Number(floor.slice(0, space)), member: Buffer.from(floor.slice(space + 1)) };
}

function decoded(scores: ReadonlyMap<string, string>): Map<string, number> {
  return new Map(Array.from(scores, ([member, score]) => [decodeMember(member), -Number(score)]));
}
