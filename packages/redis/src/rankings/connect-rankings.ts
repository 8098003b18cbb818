import { dayOfSeries, seriesOfBoard, textOfBatchId, textOfSeries, type MirroredBoards } from "@tally/contract";
import { mastersOf } from "../connection/cluster.ts";
import { batchRanking, firstGeneration, keysOfShard, shardKey } from "./live-shards.ts";
import { LiveShards, shardsIn, withChain } from "./live-shards.ts";
import { boardReads, seriesOfText } from "./board-reads.ts";
import { equalBoards } from "./equal-boards.ts";
import { buildGeneration } from "./new-generation.ts";
import { replyOf, type Rankings, type RankingsOptions, type RankingsState } from "./rankings.ts";
import { wholeBoards } from "./whole-boards.ts";
import { openRankingsRedis, type RankingsRedis } from "./scripts.ts";

/** Reconnects with back-off without limit; never throws because Redis is down. */
export function connectRankings(options: RankingsOptions): Rankings {
  const redis = openRankingsRedis(options);
  const shards = new LiveShards({ ...options, redis });
  const mirrors = new Map(
    options.domains.map(({ name, recount }) => [
      name,
      recount.boards.flatMap((kind) => ("mirrored" in kind ? [kind.mirrored] : [])),
    ]),
  );
  const mirrorsOf = (domain: string): readonly MirroredBoards[] => mirrors.get(domain) ?? [];
  const live = batchRanking(redis, (domain, use) => shards.call(domain, use));
  return {
    ...live,
    rank: (...of) => replyOf(live.rank(...of)),
    ...boardReads(redis, shards, mirrorsOf),
    ...seriesNotes(redis, shards),
    whole: (domain, boards) => replyOf(wholeBoards(redis, shards, mirrorsOf(domain), domain, boards)),
    ...domainNotes(redis, (domain) => shardKey(options.namespace, domain, 0)),

    equal: (domain, boards) => shards.call(domain, (of) => equalBoards(redis, of, boards, mirrorsOf(domain))),

    async isMarked(domain, batch) {
      return (await replyOf(live.unmarked(domain, [batch]))).length === 0;
    },

    async state(domain): Promise<RankingsState> {
      const prefixes = await shards.prefixes(domain);
      if (prefixes.some((prefix) => prefix.endsWith(`:${firstGeneration}`))) return { name: "unbuilt" };
      const isOther = prefixes.some((prefix) => (shardsIn(prefix) ?? prefixes.length) !== prefixes.length);
      if (isOther) return { name: "dirty", reason: "a change of the number of shards was interrupted" };
      const reasons = await Promise.all(prefixes.map((prefix) => redis.get(`${prefix}:dirty`)));
      const reason = reasons.find((one) => one !== null);
      return reason === undefined ? { name: "whole" } : { name: "dirty", reason };
    },

    async instance() {
      await redis.ping(); // waits until the masters are known
      const runs = mastersOf(redis).map(
        async (master) => /^run_id:(\w+)/m.exec(await master.info("server"))?.[1] ?? "",
      );
      return (await Promise.all(runs)).toSorted().join(",");
    },

    async folded(domain) {
      const prefixes = await shards.prefixes(domain);
      return Math.min(...(await Promise.all(prefixes.map(async (key) => Number(await redis.get(`${key}:folded`))))));
    },

    async noteFolded(domain, batches) {
      const prefixes = await shards.prefixes(domain);
      await Promise.all(prefixes.map((prefix) => redis.set(`${prefix}:folded`, batches)));
    },

    async shards(domain) {
      return (await shards.read(domain)).keys.length;
    },

    async build(domain, count) {
      const { keys } = await shards.read(domain);
      const own = count === undefined ? keys : shards.of(domain, count).keys;
      return buildGeneration(redis, own, keys);
    },

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

/** What is noted about a domain as a whole, in the hash slot of its first shard. */
function domainNotes(
  redis: RankingsRedis,
  firstShard: (domain: string) => string,
): Pick<Rankings, "inLedger" | "noteEpoch" | "checkedTo" | "noteChecked" | "isBuilding"> {
  return {
    async inLedger(domain, from = "0") {
      const [noted, next, batches] = await redis.tallyInLedger(firstShard(domain), "", from);
      const [epoch, token] = noted.split(" ");
      return {
        noted: token === undefined ? undefined : { epoch: Number(epoch), token },
        batches: batches.map((text) => {
          const [producer = "", sequence] = text.split(":");
          return { producer, sequence: Number(sequence) };
        }),
        next,
      };
    },

    async noteEpoch(domain, { epoch, token }, batches) {
      await redis.tallyNoteEpoch(firstShard(domain), "", epoch, token, ...batches.map(textOfBatchId));
    },

    async checkedTo(domain, instance) {
      const [noted, epoch] = (await redis.get(`${firstShard(domain)}:checked-to`))?.split(" ") ?? [];
      return noted === instance && epoch !== undefined ? Number(epoch) : undefined;
    },

    async noteChecked(domain, instance, epoch) {
      await redis.set(`${firstShard(domain)}:checked-to`, `${instance} ${epoch}`);
    },

    async isBuilding(domain) {
      return (await redis.exists(`${firstShard(domain)}:builder`)) === 1;
    },
  };
}

function seriesNotes(
  redis: RankingsRedis,
  shards: LiveShards,
): Pick<Rankings, "series" | "lacksSeries" | "forgetDays"> {
  return {
    async series(domain) {
      const [first = ""] = await shards.prefixes(domain);
      return seriesOfText(await redis.get(`${first}:series`));
    },

    async lacksSeries(domain, asked) {
      const [first = ""] = await shards.prefixes(domain);
      const [needs, lacking] = await redis.mget(`${first}:needs`, `${first}:lacks-series`);
      const names = withChain(textOfSeries(asked)).split(",");
      return needs === null || names.some((name) => lacking?.split(",").includes(name));
    },

    async forgetDays(domain, before) {
      for (const generation of await shards.prefixes(domain)) {
        for await (const keys of keysOfShard(redis, `${generation}:`)) {
          const isOld = (key: string) => (dayOfSeries(seriesOfBoard(boardOf(key))) ?? Infinity) < before;
          // Of `:b:` and `:c:`; no other key begins with a day then.
          const boardOf = (key: string) => key.slice(generation.length + 3);
          const old = keys.filter(isOld);
          if (old.length === 0) continue;
          await redis.unlink(...old);
          await redis.hdel(`${generation}:floors`, ...old.map(boardOf));
        }
      }
    },
  };
}
