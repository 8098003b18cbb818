import type { MirroredBoards } from "@tally/contract";
import { mastersOf } from "../connection/masters-of.ts";
import { batchCounter } from "./batch-counter.ts";
import { buildGeneration } from "./build-generation.ts";
import { shardOf } from "./encode-moves.ts";
import { keysOfShard } from "./keys-of-shard.ts";
import { LiveShards, shardsIn, type Shards } from "./live-shards.ts";
import { decodeMember, encodeMember } from "./member.ts";
import { openRedis, type RankingsOptions } from "./open-redis.ts";
import { RankingsError, RankingsUnavailable, type Rankings, type RankingsState } from "./rankings.ts";
import { pairsOf, readCells } from "./read-cells.ts";
import { earlierShardKey, firstGeneration, shardKey, topLimitMax } from "./scripts.ts";

/** Connects, and reconnects with back-off without limit; never throws because Redis is down. */
export function connectRankings(options: RankingsOptions): Rankings {
  const redis = openRedis(options);
  const shards = new LiveShards({ redis, namespace: options.namespace, shards: options.shards, log: options.log });
  const mirrors = new Map(
    options.domains.map(({ name, recount }) => [
      name,
      recount.boards.flatMap((kind) => ("mirrored" in kind ? [kind.mirrored] : [])),
    ]),
  );
  const mirrorsOf = (domain: string): readonly MirroredBoards[] => mirrors.get(domain) ?? [];
  const mirrorOf = (domain: string, board: string) =>
    mirrorsOf(domain).find(({ mirrorPrefix }) => board.startsWith(mirrorPrefix));
  const onShards = <T>(domain: string, use: (own: Shards) => Promise<T>): Promise<T> => shards.call(domain, use);
  const live = batchCounter(redis, onShards, mirrorsOf);
  const livePrefixes = async (domain: string): Promise<readonly string[]> => {
    const { keys } = await shards.read(domain);
    return Promise.all(keys.map(async (key) => `${key}:${(await redis.get(`${key}:generation`)) ?? firstGeneration}`));
  };

  const checkedKey = (domain: string): string => `${shardKey(options.namespace, domain, 0)}:checked`;

  return {
    ...live,

    async isMarked(domain, batch) {
      return (await replyOf(live.unmarked(domain, [batch]))).length === 0;
    },

    async state(domain): Promise<RankingsState> {
      const { keys } = await shards.read(domain);
      const states = await Promise.all(keys.map((shard) => redis.tallyState(shard, "")));
      if (states.some(([generation]) => generation === null)) return { name: "unbuilt" };
      const isOther = states.some(([generation]) => (shardsIn(generation) ?? keys.length) !== keys.length);
      if (isOther) return { name: "dirty", reason: "a change of the number of shards was interrupted" };
      const [reason] = states.flatMap(([, dirty]) => dirty ?? []);
      return reason === undefined ? { name: "whole" } : { name: "dirty", reason };
    },

    async instance() {
      await redis.ping(); // waits until the masters are known
      const runs = mastersOf(redis).map(
        async (master) => /^run_id:(\w+)/m.exec(await master.info("server"))?.[1] ?? "",
      );
      return (await Promise.all(runs)).toSorted().join(",");
    },

    async checkedUntil(domain, instance) {
      const [noted, until] = (await redis.get(checkedKey(domain)))?.split(" ") ?? [];
      return noted === instance && until !== undefined ? Number(until) : undefined;
    },

    async noteChecked(domain, instance, until) {
      await redis.set(checkedKey(domain), `${instance} ${until}`);
    },

    async newest(domain) {
      const [counted, inLedger] = await onShards(domain, ({ keys: [first = ""], live: generation }) =>
        redis.tallyNewest(first, generation),
      );
      return { counted: Number(counted ?? 0) || undefined, inLedger: Number(inLedger ?? 0) || undefined };
    },

    async noteInLedger(domain, storedAt) {
      await onShards(domain, ({ keys: [first = ""], live: generation }) =>
        redis.tallyNoteInLedger(first, generation, storedAt),
      );
    },

    async shards(domain) {
      return (await shards.read(domain)).keys.length;
    },

    async build(domain, count) {
      const { keys } = await shards.read(domain);
      const own = count === undefined ? keys : shards.of(domain, count).keys;
      return buildGeneration(redis, own, keys, mirrorsOf(domain));
    },

    async isBuilding(domain) {
      return (await redis.exists(`${shardKey(options.namespace, domain, 0)}:builder`)) === 1;
    },

    async top(domain, board, limit) {
      if (limit > topLimitMax)
        throw new RankingsError(`a board returns at most its first ${topLimitMax} members, not ${limit}`);
      const isMirror = mirrorOf(domain, board) !== undefined;
      const tops = await replyOf(
        onShards(domain, ({ keys, live: generation }) => {
          // Each shard holds some of the members, so the best of all shards are merged.
          const own = isMirror ? keys : [keys[shardOf(board, keys.length)] ?? ""];
          return Promise.all(own.map((shard) => redis.tallyTop(shard, generation, board, limit)));
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
        onShards(domain, ({ keys, live: generation }) =>
          redis.tallyScore(keys[shardOf(place, keys.length)] ?? "", generation, place, encodeMember(id)),
        ),
      );
      return -Number(score ?? 0) + 0;
    },

    async cells(domain, boards) {
      const prefixes = await livePrefixes(domain);
      return Promise.all(boards.map((board) => readCells(redis, prefixes, board, mirrorsOf(domain))));
    },

    async *boards(domain) {
      for (const generation of await livePrefixes(domain)) {
        const prefix = `${generation}:b:`;
        for await (const keys of keysOfShard(redis, prefix)) yield keys.map((key) => key.slice(prefix.length));
      }
    },

    async deleteEarlierLayout(domain) {
      let deleted = 0;
      const count = Math.max((await shards.read(domain)).keys.length, options.shards);
      for (let shard = 0; shard < count; shard++) {
        const prefix = `${earlierShardKey(options.namespace, domain, shard)}:`;
        for await (const keys of keysOfShard(redis, prefix)) deleted += await redis.unlink(...keys);
      }
      return deleted;
    },

    marks: async (domain) =>
      Promise.all(
        (await livePrefixes(domain)).map(async (generation) => {
          const prefix = `${generation}:applied:`;
          const marks = new Map<string, Buffer>();
          for await (const keys of keysOfShard(redis, prefix)) {
            const found = await Promise.all(keys.map((key) => redis.getBuffer(key)));
            for (const [index, key] of keys.entries())
              marks.set(key.slice(prefix.length), found[index] ?? Buffer.alloc(0));
          }
          return marks;
        }),
      ),

    async ping() {
      try {
        if (redis.status !== "ready") return false;
        const replies = await Promise.all(mastersOf(redis).map((master) => master.ping()));
        return replies.every((reply) => reply === "PONG");
      } catch {
        return false; // an unreachable Redis is the result here, not an error
      }
    },

    async close() {
      redis.disconnect();
    },
  };
}

// As Redis orders a sorted set.
function inOrder([a, x]: readonly [string, string], [b, y]: readonly [string, string]): number {
  return Number(x) - Number(y) || Buffer.compare(Buffer.from(a), Buffer.from(b));
}

// Errors of Redis that end by waiting, or by correcting an account. Any other error is a bug.
const notNow = /^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|SHARDS|NOAUTH|WRONGPASS) /;

async function replyOf<T>(command: Promise<T>): Promise<T> {
  try {
    return await command;
  } catch (error) {
    if (error instanceof Error && error.name === "ReplyError" && !notNow.test(error.message)) throw error;
    throw new RankingsUnavailable(error);
  }
}
