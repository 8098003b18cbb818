/** What is read of a stored run of `pnpm bench`. */
export interface MeasuredRun {
  readonly runId: string;
  readonly at: string;
  readonly machine: string;
  readonly domain: string;
  readonly design: string;
  readonly durability: string;
  readonly target: string | null;
  readonly model: string;
  readonly readShare: number;
  readonly agrees: boolean | null;
  readonly accepted: { readonly events: number; readonly perSecond: number };
  /** CPU time of all processes of a tier for each event. */
  readonly cpuUsPerEvent: Readonly<Record<Tier, number | null>>;
}

export const tiers = ["gateway", "writer", "ranker", "broker", "database", "redis"] as const;
type Tier = (typeof tiers)[number];

export interface Demand {
  readonly stores: number;
  readonly eventsPerHour: number;
  /** The busiest moment, as a multiple of the mean. */
  readonly peak: number;
  /** Share of a core that is planned to be used at that moment, 0 to 1. */
  readonly utilization: number;
}

interface TierPlan {
  readonly tier: Tier;
  readonly usPerEvent: number;
  /** Cores busy at the peak. */
  readonly cores: number;
  readonly instance: string;
  readonly count: number;
  readonly why: string;
}

export interface Plan {
  readonly meanPerSecond: number;
  readonly peakPerSecond: number;
  readonly tiers: readonly TierPlan[];
}

interface Size {
  readonly name: string;
  readonly cores: number;
}

// Cores of Amazon's instance types, smallest first (aws.amazon.com/ec2/instance-types, 2026).
const sizes = (family: string): readonly Size[] => [
  { name: `${family}.large`, cores: 2 },
  { name: `${family}.xlarge`, cores: 4 },
  { name: `${family}.2xlarge`, cores: 8 },
  { name: `${family}.4xlarge`, cores: 16 },
];

/** How many of which instances each tier needs. Pure arithmetic: a core there counts as much as one of the measured machine. */
export function planFor({ stores, eventsPerHour, peak, utilization }: Demand, { cpuUsPerEvent }: MeasuredRun): Plan {
  const meanPerSecond = (stores * eventsPerHour) / 3600;
  const peakPerSecond = meanPerSecond * peak;
  const usOf = (tier: Tier): number => cpuUsPerEvent[tier] ?? 0;
  const coresOf = (tier: Tier): number => (usOf(tier) * peakPerSecond) / 1e6;
  const plan = (tier: Tier, instance: string, count: number, why: string): TierPlan => ({
    tier,
    usPerEvent: usOf(tier),
    cores: coresOf(tier),
    instance,
    count,
    why,
  });
  /** Processes that share nothing: as many of the smallest as it takes, and one that may fail. */
  const scaledOut = (tier: Tier, coresUsed: number, why: string): TierPlan =>
    plan(tier, "c7g.large", Math.ceil(coresOf(tier) / utilization / coresUsed) + 1, why);
  /** One machine that must carry it all: the smallest that can. */
  const scaledUp = (tier: Tier, family: string, count: number, why: string): TierPlan => {
    const needed = coresOf(tier) / utilization;
    const all = sizes(family);
    const fits = all.find(({ cores }) => cores >= needed);
    const largest = all.at(-1)?.name ?? family;
    return fits === undefined
      ? plan(
          tier,
          `larger than ${largest}`,
          count,
          `${why}; ${needed.toFixed(1)} cores in one machine: split by domain`,
        )
      : plan(tier, fits.name, count, why);
  };
  return {
    meanPerSecond,
    peakPerSecond,
    tiers: [
      scaledOut("gateway", 2, "one process for each core, and one instance that may fail"),
      scaledOut("writer", 2, "threads take both cores, and one instance that may fail"),
      scaledOut("ranker", 2, "threads take both cores, and one instance that may fail"),
      scaledUp("broker", "m7g", 3, "every node of a quorum queue holds every message"),
      scaledUp("database", "db.r7g", 2, "writer and reader: measured together, so each can carry what both did"),
      plan(
        "redis",
        "cache.r7g.large",
        2 * Math.max(1, Math.ceil(coresOf("redis") / utilization)),
        "a shard uses one core; each with a replica",
      ),
    ],
  };
}
