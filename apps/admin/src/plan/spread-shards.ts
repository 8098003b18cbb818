import { shardKey, slotOf, slots } from "@tally/redis";

/** Masters of a Redis Cluster, and the shards of a domain on them. */
interface Spread {
  readonly masters: number;
  readonly shards: number;
  /** Shards of the master that has most. */
  readonly most: number;
}

// More cost more: each batch of events has a part for nearly every shard.
const shardsPerMasterMax = 8;
// RANKING_SHARDS may be larger; what an event costs then was not measured.
const shardsMax = 64;

// Masters elect the successor of one that fails, by majority.
const clusterMastersMin = 3;

/**
 * The fewest masters that carry the rankings of a domain, and the number of shards that spreads best over them.
 * `cores`: what all shards need together when there are that many; a master has one. Hash slots are chosen by names, so
 * some masters have more shards than others; the slots are divided evenly, as redis-cli and ElastiCache do. undefined:
 * the shards do not fit on any number of masters.
 */
export function spreadShards(domain: string, cores: (shards: number) => number): Spread | undefined {
  if (cores(1) <= 1) return { masters: 1, shards: 1, most: 1 };
  // All namespaces have the same slots: a key's slot is that of its part in braces.
  const slotsOf = Array.from({ length: shardsMax }, (_, shard) => slotOf(shardKey("", domain, shard)));
  for (let masters = clusterMastersMin; masters <= shardsMax; masters++) {
    const best = bestShards(slotsOf, masters, cores);
    if (best.busy <= 1) return { masters, shards: best.shards, most: best.most };
  }
  return undefined;
}

/** The fewest shards with which the busiest master does least. `busy`: cores that it needs. */
function bestShards(slotsOf: readonly number[], masters: number, cores: (shards: number) => number) {
  const counts = Array.from({ length: masters }, () => 0);
  let best = { shards: 1, most: 1, busy: Number.POSITIVE_INFINITY };
  let most = 0;
  for (const [shard, slot] of slotsOf.slice(0, masters * shardsPerMasterMax).entries()) {
    const master = Math.floor((slot * masters) / slots);
    const count = (counts[master] ?? 0) + 1;
    counts[master] = count;
    most = Math.max(most, count);
    const shards = shard + 1;
    const busy = (cores(shards) * most) / shards;
    if (shards >= masters && busy < best.busy) best = { shards, most, busy };
  }
  return best;
}
