import type { FitRun, TierName } from "./plan-command.ts";
import { shardKey, slotOf, slots } from "@tally/redis";

export interface Demand {
  readonly stores: number;
  readonly eventsPerHour: number;
  /** Load of the busiest moment, as a multiple of the mean. */
  readonly peak: number;
  /** Planned use of a core at that moment, 0 to 1. */
  readonly utilization: number;
}

interface Need {
  readonly tier: TierName;
  readonly usPerEvent: number;
  /** Cores busy at the peak. */
  readonly cores: number;
  /** Cores with the planned use. */
  readonly coresNeeded: number;
}

interface TierPlan extends Need {
  readonly instance: string;
  readonly count: number;
  /** The calculation from `coresNeeded` to `count`, for a check by hand. */
  readonly sum: string;
  readonly why: string;
}

export interface Plan {
  readonly meanPerSecond: number;
  readonly peakPerSecond: number;
  readonly tiers: readonly TierPlan[];
  /** Shards of the domain's rankings. Their costs are included. */
  readonly shards: number;
}

/** The instances of each tier. Assumes that one of their cores does as much as a core of the measured machine. */
export function planFor({ stores, eventsPerHour, peak, utilization }: Demand, run: FitRun): Plan {
  const meanPerSecond = (stores * eventsPerHour) / 3600;
  const peakPerSecond = meanPerSecond * peak;
  const measuredShards = Number(run.settings.RANKING_SHARDS ?? 1);
  const needOf = (tier: TierName, shards: number): Need => {
    const times = costOfShards(tier, shards) / costOfShards(tier, measuredShards);
    const usPerEvent = run.cpuUsPerEvent[tier] * times;
    const cores = (usPerEvent * peakPerSecond) / 1e6;
    return { tier, usPerEvent, cores, coresNeeded: cores / utilization };
  };
  const spread = spreadShards(run.domain, (shards) => needOf("redis", shards).coresNeeded);
  const shards = spread?.shards ?? 1;
  const tiers = [
    scaledOut(needOf("gateway", shards), "one process per core, plus one spare instance"),
    scaledOut(needOf("writer", shards), "one thread per core, plus one spare instance"),
    scaledOut(needOf("ranker", shards), "one thread per core, plus one spare instance"),
    scaledUp(needOf("broker", shards), "m7g", 3, "every node of a quorum queue holds every message"),
    scaledUp(
      needOf("database", shards),
      "db.r7g",
      2,
      "writer and reader were measured together; each is sized for both",
    ),
    sharded(needOf("redis", shards), spread),
  ];
  return { meanPerSecond, peakPerSecond, tiers, shards };
}

/*
 * The sales of an item in a store count on two boards. In one shard they are one number, in several they are two; and
 * each batch has a part for every shard. Measured with 1, 4, 16 and 64 shards: lines through the last three.
 */
const costLines: Partial<Readonly<Record<TierName, readonly [base: number, ofEachShard: number]>>> = {
  redis: [1.61, 0.0053],
  ranker: [1.2, 0.03],
  writer: [1.02, 0.0037],
};

/** The CPU time of an event in a tier with this number of shards, divided by the CPU time with one shard. */
export function costOfShards(tier: TierName, shards: number): number {
  const [base, ofEachShard] = costLines[tier] ?? [1, 0];
  return shards === 1 ? 1 : base + ofEachShard * shards;
}

/** Stateless tier: the smallest instances that carry the load, plus one spare. */
function scaledOut(need: Need, why: string): TierPlan {
  const busy = Math.ceil(need.coresNeeded / 2);
  return { ...need, instance: "c7g.large", count: busy + 1, sum: `/ 2 cores, rounded up = ${busy}, + 1`, why };
}

// Cores of Amazon's instance types, smallest first (aws.amazon.com/ec2/instance-types, 2026).
const sizes = [
  { name: "large", cores: 2 },
  { name: "xlarge", cores: 4 },
  { name: "2xlarge", cores: 8 },
  { name: "4xlarge", cores: 16 },
  { name: "8xlarge", cores: 32 },
  { name: "16xlarge", cores: 64 },
];

const severalSystems = "run several systems, each with its own servers and a part of the stores";

/** Single-machine tier: the smallest instance that carries the whole load. */
function scaledUp(need: Need, family: string, count: number, why: string): TierPlan {
  const fits = sizes.find(({ cores }) => cores >= need.coresNeeded);
  if (fits !== undefined)
    return { ...need, instance: `${family}.${fits.name}`, count, sum: `in ${fits.cores} cores, × ${count}`, why };
  return {
    ...need,
    instance: `larger than ${family}.16xlarge`,
    count,
    sum: `more than 64 cores, × ${count}`,
    why: `${why}; too much for one machine: ${severalSystems}`,
  };
}

/** Masters that use one core each, and their replicas. */
function sharded(need: Need, spread: ReturnType<typeof spreadShards>): TierPlan {
  const plan = { ...need, instance: "cache.r7g.large" };
  if (spread === undefined)
    return { ...plan, count: 0, sum: "more than 64 shards carry, the most that were measured", why: severalSystems };
  const { masters, shards, most } = spread;
  const count = 2 * masters;
  if (shards === 1) return { ...plan, count, sum: "rounded up = 1, × 2", why: "a shard uses one core, with a replica" };
  return {
    ...plan,
    count,
    sum: `× ${most} / ${shards} on the busiest of ${masters}, × 2`,
    why: `a Redis Cluster of ${masters} masters that use one core each, with replicas: pnpm tally rebuild --shards ${shards}`,
  };
}

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

/** The fewest masters for a domain's rankings, and the shards that spread best by name; undefined: they do not fit. */
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
