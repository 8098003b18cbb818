import type { ProcessFigures } from "@tally/local";

/** The tiers of a system whose CPU time is measured apart. */
export const tierNames = ["gateway", "writer", "ranker", "broker", "database", "redis"] as const;
type TierName = (typeof tierNames)[number];

/** A figure for each tier. */
type OfTiers<T> = Readonly<Record<TierName, T>>;

export function eachTier<T>(of: (tier: TierName) => T): OfTiers<T> {
  return {
    gateway: of("gateway"),
    writer: of("writer"),
    ranker: of("ranker"),
    broker: of("broker"),
    database: of("database"),
    redis: of("redis"),
  };
}

/** CPU time so far and resident memory of each tier's processes. `groups`: the leaders of process groups. */
export function tiersOf(processes: readonly ProcessFigures[], groups: OfTiers<readonly number[]>) {
  return eachTier((tier) => {
    const own = processes.filter(({ group }) => groups[tier].includes(group));
    return {
      cpuSeconds: own.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      memoryMiB: own.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0),
    };
  });
}
