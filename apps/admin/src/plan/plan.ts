import type { MeasuredRun, TierName as Tier } from "@tally/pipeline/bench-report";

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
}

export interface Plan {
  readonly meanPerSecond: number;
  readonly peakPerSecond: number;
  readonly tiers: readonly TierPlan[];
}

// Cores of Amazon's instance types, smallest first (aws.amazon.com/ec2/instance-types, 2026).
const sizes = (family: string) => [
  { name: `${family}.large`, cores: 2 },
  { name: `${family}.xlarge`, cores: 4 },
  { name: `${family}.2xlarge`, cores: 8 },
  { name: `${family}.4xlarge`, cores: 16 },
  { name: `${family}.8xlarge`, cores: 32 },
  { name: `${family}.16xlarge`, cores: 64 },
];

/** The instances that each tier needs. Assumes that one of their cores does as much as a core of the measured machine. */
export function planFor({ stores, eventsPerHour, peak, utilization }: Demand, { cpuUsPerEvent }: MeasuredRun): Plan {
  const meanPerSecond = (stores * eventsPerHour) / 3600;
  const peakPerSecond = meanPerSecond * peak;
  const usOf = (tier: Tier): number => cpuUsPerEvent[tier] ?? 0;
  const coresOf = (tier: Tier): number => (usOf(tier) * peakPerSecond) / 1e6;
  const neededBy = (tier: Tier): number => coresOf(tier) / utilization;
  const plan = (tier: Tier, of: Pick<TierPlan, "instance" | "count" | "sum" | "why">): TierPlan => ({
    tier,
    usPerEvent: usOf(tier),
    cores: coresOf(tier),
    ...of,
    sum: `/ ${utilization} = ${figure(neededBy(tier))}, ${of.sum}`,
  });
  /** Stateless tier: the smallest instances that carry the load, plus one spare. */
  const scaledOut = (tier: Tier, why: string): TierPlan => {
    const busy = Math.ceil(neededBy(tier) / 2);
    return plan(tier, { instance: "c7g.large", count: busy + 1, sum: `/ 2 cores, rounded up = ${busy}, + 1`, why });
  };
  /** Single-machine tier: the smallest instance that carries the whole load. */
  const scaledUp = (tier: Tier, family: string, count: number, why: string): TierPlan => {
    const all = sizes(family);
    const fits = all.find(({ cores }) => cores >= neededBy(tier));
    if (fits !== undefined)
      return plan(tier, { instance: fits.name, count, sum: `in ${fits.cores} cores, × ${count}`, why });
    const [largest] = all.slice(-1);
    return plan(tier, {
      instance: `larger than ${largest?.name ?? family}`,
      count,
      sum: `more than ${largest?.cores ?? 0} cores, × ${count}`,
      why: `${why}; too much for one machine: run several systems, each with its own servers and a part of the stores`,
    });
  };
  const shards = Math.max(1, Math.ceil(neededBy("redis")));
  return {
    meanPerSecond,
    peakPerSecond,
    tiers: [
      scaledOut("gateway", "one process per core, plus one spare instance"),
      scaledOut("writer", "one thread per core, plus one spare instance"),
      scaledOut("ranker", "one thread per core, plus one spare instance"),
      scaledUp("broker", "m7g", 3, "every node of a quorum queue holds every message"),
      scaledUp("database", "db.r7g", 2, "writer and reader were measured together; each is sized for both"),
      plan("redis", {
        instance: "cache.r7g.large",
        count: 2 * shards,
        sum: `rounded up = ${shards}, × 2`,
        why: `a shard uses one core, each with a replica${shards === 1 ? "" : `: a Redis Cluster with RANKING_SHARDS=${shards}`}`,
      }),
    ],
  };
}

/** Rounded to 6 significant digits, so that printed calculations can be checked by hand. */
export function figure(value: number): string {
  return String(Number(value.toPrecision(6)));
}
