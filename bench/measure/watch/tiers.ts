import type { ProcessFigures, Server } from "@tally/local";

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

const namesOfTier: OfTiers<RegExp> = {
  // HAProxy as well.
  gateway: /^(gateway|balancer)/,
  writer: /^writer/,
  ranker: /^ranker/,
  broker: /^(rabbitmq|epmd)/,
  database: /^database/,
  redis: /^redis/,
};

export type Tiers = OfTiers<{ readonly cpuSeconds: number; readonly memoryMiB: number }>;

/** Returns what sums CPU time and resident memory of each tier's processes. The CPU time of a process that has ended is
 * that of the last call before. `servers`: each leads a process group. */
export function watchTiers(servers: readonly Pick<Server, "name" | "pid">[]) {
  const used = eachTier(() => new Map<number, number>());
  return (processes: readonly ProcessFigures[]): Tiers =>
    eachTier((tier) => {
      const leaders = new Set(servers.flatMap(({ name, pid }) => (namesOfTier[tier].test(name) ? (pid ?? []) : [])));
      const own = processes.filter(({ group }) => leaders.has(group));
      // The fork of Redis that writes a snapshot: its pages are those of its parent.
      const isFork = ({ parent, name }: ProcessFigures): boolean =>
        own.some((other) => other.pid === parent && other.name === name);
      for (const { pid, cpuSeconds } of own) used[tier].set(pid, cpuSeconds);
      return {
        cpuSeconds: Array.from(used[tier].values()).reduce((sum, cpuSeconds) => sum + cpuSeconds, 0),
        memoryMiB: own.reduce((sum, one) => sum + (isFork(one) ? 0 : one.memoryMiB), 0),
      };
    });
}
