import type { BatchId, MirroredBoards } from "@tally/contract";
import { fitShards } from "./encode-moves.ts";
import type { Shards } from "./live-shards.ts";
import type { BatchRanking } from "./rankings.ts";
import type { RankingsRedis } from "./scripts.ts";

/** `onShards` calls a function with the shards of a domain and the first argument of their scripts, perhaps again. */
export function batchRanking(
  redis: RankingsRedis,
  onShards: <T>(domain: string, use: (shards: Shards) => Promise<T>) => Promise<T>,
  mirrorsOf: (domain: string) => readonly MirroredBoards[],
): BatchRanking {
  return {
    rank: (domain, message) =>
      onShards(domain, async ({ keys, live }) => {
        const { batch, storedAt } = message;
        const moves = fitShards(message, mirrorsOf(domain), keys.length);
        const results = await Promise.all(
          moves.map(async (own, index) => {
            const call = () => redis.tallyRank(keys[index] ?? "", live, batch.producer, batch.sequence, storedAt, own);
            const [isNew, more] = await call();
            // One step per call: Redis serves others in between.
            for (let left = more; left === 1;) [, left] = await call();
            return isNew;
          }),
        );
        return results.includes(1);
      }),

    unmarked: <B extends BatchId>(domain: string, batches: readonly B[]): Promise<readonly B[]> =>
      onShards(domain, async ({ keys, live }) => {
        const byProducer = Map.groupBy(batches, (batch) => batch.producer);
        const missing = await Promise.all(
          [...byProducer].flatMap(([producer, own]) =>
            keys.map(async (shard) => {
              const all = own.map(({ sequence }) => sequence);
              const sequences = new Set(await redis.tallyUnmarked(shard, live, producer, ...all));
              return own.filter(({ sequence }) => sequences.has(String(sequence)));
            }),
          ),
        );
        return [...new Set(missing.flat())];
      }),
  };
}
