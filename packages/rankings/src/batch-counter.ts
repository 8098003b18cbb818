import type { BatchId, MirroredBoards } from "@tally/pipeline";
import { currentShards } from "./earlier-moves.ts";
import type { RankingsRedis } from "./open-redis.ts";
import { RankingsError, type BatchCounter } from "./rankings.ts";

/** Counts batches in one generation, "" for the live one. */
export function batchCounter(
  redis: RankingsRedis,
  generation: string,
  shardsOf: (domain: string) => readonly string[],
  mirrorsOf: (domain: string) => readonly MirroredBoards[],
): BatchCounter {
  return {
    async apply(domain, message) {
      const { batch, storedAt } = message;
      const moves = currentShards(message, mirrorsOf(domain));
      const shards = shardsOf(domain);
      if (moves.length !== shards.length) {
        throw new RankingsError(`the ranking message has ${moves.length} shards, the rankings have ${shards.length}`);
      }
      const results = await Promise.all(
        moves.map(async (own, index) => {
          const call = () =>
            redis.tallyApply(shards[index] ?? "", generation, batch.producer, batch.sequence, storedAt, own);
          const [isNew, more] = await call();
          // One step per call, so that Redis serves others in between.
          for (let left = more; left === 1;) [, left] = await call();
          return isNew;
        }),
      );
      return results.includes(1);
    },

    async unmarked<B extends BatchId>(domain: string, batches: readonly B[]): Promise<readonly B[]> {
      const byProducer = Map.groupBy(batches, (batch) => batch.producer);
      const missing = await Promise.all(
        [...byProducer].flatMap(([producer, own]) =>
          shardsOf(domain).map(async (shard) => {
            const all = own.map(({ sequence }) => sequence);
            const sequences = new Set(await redis.tallyUnmarked(shard, generation, producer, ...all));
            return own.filter(({ sequence }) => sequences.has(String(sequence)));
          }),
        ),
      );
      return [...new Set(missing.flat())];
    },
  };
}
