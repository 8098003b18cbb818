import type { MeasuredRun, TierName as Tier } from "./measured-run.ts";
import { hoursPerMonth, prices, type PriceName } from "@tally/prices";
import { spreadShards } from "@tally/redis";
import { costOfShards } from "./cost-of-shards.ts";

export interface Demand {
  readonly stores: number;
  readonly eventsPerHour: number;
  /** Load of the busiest moment, as a multiple of the mean. */
  readonly peak: number;
  /** Planned use of a core at that moment, 0 to 1. */
  readonly utilization: number;
}

interface TierPlan {
  readonly tier: Tier;
  readonly usPerEvent: number;
  /** Cores busy at the peak. */
  readonly cores: number;
  readonly instance: string;
  readonly count: number;
  /** The calculation from `cores` to `count`, for a check by hand. */
  readonly sum: string;
  readonly why: string;
  /** Of these instances alone, on demand. Undefined: none is large enough. */
  readonly usdPerMonth: number | undefined;
}

export interface Plan {
  readonly meanPerSecond: number;
  readonly peakPerSecond: number;
  readonly tiers: readonly TierPlan[];
  /** Shards of the domain's rankings. Their costs are included. */
  readonly shards: number;
  /** Of all instances; undefined: a tier has none that is large enough. */
  readonly usdPerMonth: number | undefined;
}

// The price of the smallest of each family. Amazon's larger ones cost in proportion to their cores.
const familyPrices = {
  c7g: "c7g.large",
  m7g: "m7g.large",
  "db.r7g": "Aurora r7g.large",
  "cache.r7g": "cache.r7g.large",
} as const satisfies Readonly<Record<string, PriceName>>;
type Family = keyof typeof familyPrices;

const usdOf = (family: Family, cores: number, count: number): number =>
  (prices[familyPrices[family]].usd * cores * count * hoursPerMonth) / 2;

// Cores of Amazon's instance types, smallest first (aws.amazon.com/ec2/instance-types, 2026).
const sizes = (family: string) => [
  { name: `${family}.large`, cores: 2 },
  { name: `${family}.xlarge`, cores: 4 },
  { name: `${family}.2xlarge`, cores: 8 },
  { name: `${family}.4xlarge`, cores: 16 },
  { name: `${family}.8xlarge`, cores: 32 },
  { name: `${family}.16xlarge`, cores: 64 },
];

const severalSystems = "run several systems, each with its own servers and a part of the stores";

/** The instances that each tier needs. Assumes that one of their cores does as much as a core of the measured machine. */
export function planFor(
  { stores, eventsPerHour, peak, utilization }: Demand,
  { cpuUsPerEvent, domain, settings = {} }: MeasuredRun,
): Plan {
  const meanPerSecond = (stores * eventsPerHour) / 3600;
  const peakPerSecond = meanPerSecond * peak;
  const measuredShards = Number(settings["RANKING_SHARDS"] ?? 1);
  const usWith = (shards: number, tier: Tier): number =>
    ((cpuUsPerEvent[tier] ?? 0) * costOfShards(tier, shards)) / costOfShards(tier, measuredShards);
  const redisCores = (shards: number): number => (usWith(shards, "redis") * peakPerSecond) / 1e6 / utilization;
  const spread = spreadShards(domain, redisCores);
  const usOf = (tier: Tier): number => usWith(spread?.shards ?? 1, tier);
  const coresOf = (tier: Tier): number => (usOf(tier) * peakPerSecond) / 1e6;
  const neededBy = (tier: Tier): number => coresOf(tier) / utilization;
  const plan = (tier: Tier, of: Omit<TierPlan, "tier" | "usPerEvent" | "cores">): TierPlan => ({
    tier,
    usPerEvent: usOf(tier),
    cores: coresOf(tier),
    ...of,
    sum: `/ ${utilization} = ${figure(neededBy(tier))}, ${of.sum}`,
  });
  /** Stateless tier: the smallest instances that carry the load, plus one spare. */
  const scaledOut = (tier: Tier, why: string): TierPlan => {
    const busy = Math.ceil(neededBy(tier) / 2);
    const [count, sum] = [busy + 1, `/ 2 cores, rounded up = ${busy}, + 1`];
    return plan(tier, { instance: "c7g.large", count, sum, why, usdPerMonth: usdOf("c7g", 2, count) });
  };
  /** Single-machine tier: the smallest instance that carries the whole load. */
  const scaledUp = (tier: Tier, family: Family, count: number, why: string): TierPlan => {
    const all = sizes(family);
    const fits = all.find(({ cores }) => cores >= neededBy(tier));
    if (fits !== undefined) {
      const usdPerMonth = usdOf(family, fits.cores, count);
      return plan(tier, { instance: fits.name, count, sum: `in ${fits.cores} cores, × ${count}`, why, usdPerMonth });
    }
    const [largest] = all.slice(-1);
    return plan(tier, {
      instance: `larger than ${largest?.name ?? family}`,
      count,
      sum: `more than ${largest?.cores ?? 0} cores, × ${count}`,
      why: `${why}; too much for one machine: ${severalSystems}`,
      usdPerMonth: undefined,
    });
  };
  /** Masters that use one core each, and their replicas. */
  const sharded = (): TierPlan => {
    const instance = "cache.r7g.large";
    if (spread === undefined)
      return plan("redis", {
        instance,
        count: 0,
        sum: "more than 64 shards carry, the most that were measured",
        why: severalSystems,
        usdPerMonth: undefined,
      });
    const { masters, shards, most } = spread;
    const count = 2 * masters;
    const usdPerMonth = usdOf("cache.r7g", 2, count);
    if (shards === 1)
      return plan("redis", {
        instance,
        count,
        sum: "rounded up = 1, × 2",
        why: "a shard uses one core, with a replica",
        usdPerMonth,
      });
    const sum = `× ${most} / ${shards} on the busiest of ${masters}, × 2`;
    const why = `a Redis Cluster of ${masters} masters that use one core each, with replicas: pnpm tally rebuild --shards ${shards}`;
    return plan("redis", { instance, count, sum, why, usdPerMonth });
  };
  const tiers = [
    scaledOut("gateway", "one process per core, plus one spare instance"),
    scaledOut("writer", "one thread per core, plus one spare instance"),
    scaledOut("ranker", "one thread per core, plus one spare instance"),
    scaledUp("broker", "m7g", 3, "every node of a quorum queue holds every message"),
    scaledUp("database", "db.r7g", 2, "writer and reader were measured together; each is sized for both"),
    sharded(),
  ];
  const costs = tiers.map(({ usdPerMonth }) => usdPerMonth);
  const usdPerMonth = costs.some((usd) => usd === undefined)
    ? undefined
    : costs.reduce<number>((sum, usd = 0) => sum + usd, 0);
  return { meanPerSecond, peakPerSecond, tiers, shards: spread?.shards ?? 1, usdPerMonth };
}

/** Rounded to 6 significant digits, so that printed calculations can be checked by hand. */
export function figure(value: number): string {
  return String(Number(value.toPrecision(6)));
}
