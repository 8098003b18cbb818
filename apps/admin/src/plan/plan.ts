import { usageError } from "../command.ts";

/** `perHour`: events of a store, on average. `peak`: load of the busiest moment, as a multiple of the mean.
 * `utilization`: planned use of a core at that moment, 0 to 1. */
export type Demand = Readonly<Record<"stores" | "perHour" | "peak" | "utilization", number>>;

type Tier = "gateway" | "writer" | "ranker" | "broker" | "database" | "redis";
/** `cores`: busy at the peak. `coresNeeded`: with the planned use. */
type Need = Readonly<{ tier: Tier } & Record<"usPerEvent" | "cores" | "coresNeeded", number>>;

/** The instances of each tier, from the CPU time in µs of an event in each, measured with one shard. Assumes that one
 * of their cores does as much as a measured one. Throws a CommandError for a demand that one system cannot carry. */
export function planFor(demand: Demand, costs: Readonly<Record<Tier, number>>) {
  const meanPerSecond = (demand.stores * demand.perHour) / 3600;
  const peakPerSecond = meanPerSecond * demand.peak;
  const needOf = (tier: Tier, shards: number): Need => {
    const usPerEvent = costs[tier] * costOfShards(tier, shards);
    const cores = (usPerEvent * peakPerSecond) / 1e6;
    return { tier, usPerEvent, cores, coresNeeded: cores / demand.utilization };
  };
  const masters = mastersFor((shards) => needOf("redis", shards).coresNeeded);
  const shards = shardsOn(masters);
  const ofRedis = masters === 1 ? "in 1 core" : `× 4/3, rounded up, at least 3 = ${masters} masters`;
  const tiers = [
    ...(["gateway", "writer", "ranker"] as const).map((tier) => scaledOut(needOf(tier, shards))),
    scaledUp(needOf("broker", shards), "m7g", 3, "nodes, each has every message"),
    scaledUp(needOf("database", shards), "r7g", 2, "for writer and reader, measured together"),
    { ...needOf("redis", shards), instance: "r7g.large", count: 2 * masters, sum: `${ofRedis}, × 2 with replicas` },
  ];
  return { meanPerSecond, peakPerSecond, tiers, shards };
}

/** An event's CPU time relative to one shard. In one shard the sales of an item in a store are one number for two
 * boards, in several they are two, and each batch has a part for every shard. Lines through 4, 16 and 64 shards. */
function costOfShards(tier: Tier, shards: number): number {
  const lines = { redis: 1.61 + 0.0053 * shards, ranker: 1.2 + 0.03 * shards, writer: 1.02 + 0.0037 * shards };
  return shards > 1 && (tier === "redis" || tier === "ranker" || tier === "writer") ? lines[tier] : 1;
}

// Keys spread shards unevenly: with three a master, the busiest of up to 12 has up to 4/3 of the mean of purchases.
const shardsOn = (masters: number): number => (masters === 1 ? 1 : 3 * masters);

/** One master while it needs one core, else the smallest cluster with a third more masters than cores are needed. */
function mastersFor(coresNeeded: (shards: number) => number): number {
  if (coresNeeded(1) <= 1) return 1;
  // Three masters can elect the successor of one that fails. What more than 64 shards cost was not measured.
  for (let masters = 3; shardsOn(masters) <= 64; masters++)
    if (masters >= (coresNeeded(shardsOn(masters)) * 4) / 3) return masters;
  throw tooMuch("redis", "64 shards");
}

function scaledOut(need: Need) {
  const busy = Math.ceil(need.coresNeeded / 2);
  return { ...need, instance: "c7g.large", count: busy + 1, sum: `/ 2 cores, rounded up = ${busy}, + 1 spare` };
}

// Cores of each instance of a family (aws.amazon.com/ec2/instance-types, 2026).
const sizes = { large: 2, xlarge: 4, "2xlarge": 8, "4xlarge": 16, "8xlarge": 32, "16xlarge": 64 };

/** Tier whose machines each carry the whole load: the smallest instance that does. */
function scaledUp(need: Need, family: string, count: number, why: string) {
  const fit = Object.entries(sizes).find(([, cores]) => cores >= need.coresNeeded);
  if (fit === undefined) throw tooMuch(need.tier, "64 cores");
  return { ...need, instance: `${family}.${fit[0]}`, count, sum: `in ${fit[1]} cores, × ${count} ${why}` };
}

const tooMuch = (tier: Tier, most: string) =>
  usageError(`--stores: ${tier} needs more than ${most}: plan several systems, each with a part of the stores`);
