import type { MirroredBoards, WholeBoards } from "@tally/contract";
import { boardCells, isLive, seriesOfText } from "./board-reads.ts";
import { firstGeneration, type LiveShards } from "./live-shards.ts";
import { RankingsUnavailable } from "./rankings.ts";
import type { RankingsRedis } from "./scripts.ts";

/** Rankings.whole. A generation is compared, because a rebuild deletes the one that it replaces. */
export async function wholeBoards(
  redis: RankingsRedis,
  shards: LiveShards,
  mirrors: readonly MirroredBoards[],
  domain: string,
  boards: readonly string[],
): Promise<WholeBoards> {
  const prefixes = await shards.prefixes(domain);
  const noteOf = (note: string) => Promise.all(prefixes.map((prefix) => redis.get(`${prefix}:${note}`)));
  const notes = await Promise.all(["series", "dirty", "as-of"].map(noteOf));
  const [kept = [], dirty = [], asOf = []] = notes;
  const isLost = prefixes.some((prefix) => prefix.endsWith(`:${firstGeneration}`));
  if (isLost || dirty.some((reason) => reason !== null)) throw new RankingsUnavailable(undefined);
  const now = Math.max(...asOf.map(Number));
  const has = (board: string) => kept.every((text) => isLive(board, now, seriesOfText(text)));
  const cells = await Promise.all(
    boards.map(async (board) =>
      has(board) ? (await boardCells(redis, prefixes, { board, cellsOnly: true }, mirrors)).cells : undefined,
    ),
  );
  const after = await shards.prefixes(domain);
  const isSame = after.length === prefixes.length && after.every((prefix, shard) => prefix === prefixes[shard]);
  if (!isSame) throw new RankingsUnavailable(undefined);
  return { cells, asOf: now || undefined };
}
