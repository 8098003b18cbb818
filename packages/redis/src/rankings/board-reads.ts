import type { MirroredBoards } from "@tally/contract";
import { boardCells, pairsOf } from "./board-cells.ts";
import { decodeMember, encodeMember, shardOf } from "./encode-moves.ts";
import { keysOfShard } from "./keys.ts";
import type { LiveShards } from "./live-shards.ts";
import { RankingsError, RankingsUnavailable, topLimitMax, type Rankings } from "./rankings.ts";
import type { RankingsRedis } from "./scripts.ts";

/** The reads of the live rankings. */
export function boardReads(
  redis: RankingsRedis,
  shards: LiveShards,
  mirrorsOf: (domain: string) => readonly MirroredBoards[],
): Pick<Rankings, "top" | "count" | "cells" | "boards" | "marks"> {
  const mirrorOf = (domain: string, board: string) =>
    mirrorsOf(domain).find(({ mirrorPrefix }) => board.startsWith(mirrorPrefix));
  return {
    async top(domain, board, limit) {
      if (limit > topLimitMax)
        throw new RankingsError(`a board returns at most its first ${topLimitMax} members, not ${limit}`);
      const isMirror = mirrorOf(domain, board) !== undefined;
      const tops = await replyOf(
        shards.call(domain, ({ keys, live }) => {
          // Each shard holds some of the members, so the best of all shards are merged.
          const own = isMirror ? keys : [keys[shardOf(board, keys.length)] ?? ""];
          return Promise.all(own.map((shard) => redis.tallyTop(shard, live, board, limit)));
        }),
      );
      const places = tops.flatMap(([, flat]) => pairsOf(flat));
      if (tops.length > 1) places.sort(inOrder);
      const entries = places
        .slice(0, limit)
        .map(([member, score]) => ({ member: decodeMember(member), count: -Number(score) }));
      // A generation built without batches has as-of 0.
      return { entries, asOf: Math.max(...tops.map(([asOf]) => Number(asOf ?? 0))) || undefined };
    },

    async count(domain, board, member) {
      // The board of a member of mirrored counts keeps only its best; that of the key has all.
      const mirror = mirrorOf(domain, board);
      const [place, id] =
        mirror === undefined ? [board, member] : [mirror.prefix + member, board.slice(mirror.mirrorPrefix.length)];
      const score = await replyOf(
        shards.call(domain, ({ keys, live }) =>
          redis.tallyScore(keys[shardOf(place, keys.length)] ?? "", live, place, encodeMember(id)),
        ),
      );
      return -Number(score ?? 0) + 0;
    },

    async cells(domain, boards) {
      const prefixes = await shards.prefixes(domain);
      return Promise.all(boards.map((board) => boardCells(redis, prefixes, board, mirrorsOf(domain))));
    },

    async *boards(domain) {
      for (const generation of await shards.prefixes(domain)) {
        const prefix = `${generation}:b:`;
        for await (const keys of keysOfShard(redis, prefix)) yield keys.map((key) => key.slice(prefix.length));
      }
    },

    async marks(domain) {
      const prefixes = await shards.prefixes(domain);
      return Promise.all(prefixes.map((generation) => marksOf(redis, `${generation}:applied:`)));
    },
  };
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

// Errors of Redis that end by waiting, or by correcting an account. Any other error is a bug.
const notNow = /^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|SHARDS|NOAUTH|WRONGPASS) /;

/** The reply of a read; throws RankingsUnavailable for an error that ends by waiting. */
export async function replyOf<T>(command: Promise<T>): Promise<T> {
  try {
    return await command;
  } catch (error) {
    if (error instanceof Error && error.name === "ReplyError" && !notNow.test(error.message)) throw error;
    throw new RankingsUnavailable(error);
  }
}
