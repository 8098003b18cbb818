import { readProcesses } from "@tally/local";
import { tierNames, type TierName } from "@tally/pipeline/bench-report";

/** A figure for each tier. */
export type OfTiers<T> = Readonly<Record<TierName, T>>;

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

/** CPU time so far and resident memory of a tier's processes. */
export interface TierFigures {
  readonly cpuSeconds: number;
  readonly memoryMiB: number;
}

/** Sums of each tier's processes. `groups`: the leaders of process groups, by tier. Costs some ms. */
export function readTiers(groups: ReadonlyMap<TierName, readonly number[]>): ReadonlyMap<TierName, TierFigures> {
  const tierOf = new Map([...groups].flatMap(([tier, leaders]) => leaders.map((pid) => [pid, tier] as const)));
  const figures = new Map<TierName, { cpuSeconds: number; memoryMiB: number }>(
    tierNames.map((tier) => [tier, { cpuSeconds: 0, memoryMiB: 0 }]),
  );
  for (const { group, cpuSeconds, memoryMiB } of readProcesses()) {
    const tier = tierOf.get(group);
    const sums = tier === undefined ? undefined : figures.get(tier);
    if (sums === undefined) continue;
    sums.cpuSeconds += cpuSeconds;
    sums.memoryMiB += memoryMiB;
  }
  return figures;
}
