import { slotOf, slots } from "@tally/redis";
import { shardKey } from "./scripts.ts";

/** A number of masters of a Redis Cluster, and of the shards of a domain on them. */
export interface Spread {
  readonly masters: number;
  readonly shards: number;
  /** Shards of the master that has most. */
  readonly most: number;
}

// More cost more: each batch of events has a part for nearly every shard.
const shardsPerMasterMax = 8;
const shardsMax = 1024; // of RANKING_SHARDS

/**
 * The fewest masters that carry the rankings of a domain, and the number of shards that spreads best over them. `cores`: what all shards need
 * together; a master has one. Hash slots are chosen by names, so some masters have more shards than others; the slots are divided
 * evenly, as redis-cli and ElastiCache do. undefined: the shards do not fit on any number of masters.
 */
export function spreadShards(domain: string, cores: number): Spread | undefined {
  // All namespaces have the same slots: a key's slot is that of its part in braces.
  const slotsOf = Array.from({ length: shardsMax }, (_, shard) => slotOf(shardKey("", domain, shard)));
  for (let masters = Math.max(1, Math.ceil(cores)); masters <= shardsMax; masters++) {
    const best = bestShards(slotsOf, masters);
    if ((cores * best.most) / best.shards <= 1) return best;
  }
  return undefined;
}

/** The number of shards of which the busiest master has the smallest part; of several the smallest. */
function bestShards(slotsOf: readonly number[], masters: number): Spread {
  const counts = Array.from({ length: masters }, () => 0);
  let best: Spread = { masters, shards: 1, most: Number.POSITIVE_INFINITY };
  let most = 0;
  for (const [shard, slot] of slotsOf.slice(0, masters * shardsPerMasterMax).entries()) {
    const master = Math.floor((slot * masters) / slots);
    const count = (counts[master] ?? 0) + 1;
    counts[master] = count;
    most = Math.max(most, count);
    const shards = shard + 1;
    if (shards >= masters && most / shards < best.most / best.shards) best = { masters, shards, most };
  }
  return best;
}
