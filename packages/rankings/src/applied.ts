import type { RankingsRedis } from "./open-redis.ts";
import { RankingsError, type Applied, type BatchName } from "./rankings.ts";

/** Applies batches to one generation, "" for the live one. */
export function applied(
  redis: RankingsRedis,
  generation: string,
  shardsOf: (domain: string) => readonly string[],
): Applied {
  return {
    async apply(domain, { batch, storedAt, shards: moves }) {
      const shards = shardsOf(domain);
      if (moves.length !== shards.length) {
        throw new RankingsError(`a message for ${moves.length} shards meets rankings with ${shards.length}`);
      }
      const results = await Promise.all(
        moves.map(async (own, index) => {
          const call = () =>
            redis.tallyApply(shards[index] ?? "", generation, batch.producer, batch.sequence, storedAt, own);
          const [isNew, more] = await call();
          // A step at a time, so that others get their turn.
          for (let left = more; left === 1;) [, left] = await call();
          return isNew;
        }),
      );
      return results.includes(1);
    },

    async unmarked<B extends BatchName>(domain: string, batches: readonly B[]): Promise<readonly B[]> {
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
