import type { TierName } from "./measured-run.ts";

/*
 * The sales of an item in a store count on two boards. In one shard they are one number, in several they are two; and each batch has a part for
 * every shard. Measured with 1, 4, 16 and 64 shards (docs/measurements/sweeps-and-designs.md#shards): lines through the last three.
 */
const lines: Partial<Readonly<Record<TierName, readonly [base: number, ofEachShard: number]>>> = {
  redis: [1.61, 0.0053],
  ranker: [1.2, 0.03],
  writer: [1.02, 0.0037],
};

/** The CPU time of an event in a tier when its domain has so many shards, as a multiple of that with one shard. */
export function costOfShards(tier: TierName, shards: number): number {
  const [base, ofEachShard] = lines[tier] ?? [1, 0];
  return shards === 1 ? 1 : base + ofEachShard * shards;
}
