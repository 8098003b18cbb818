import type { MeasuredRun } from "@tally/contract/bench-report";

/** The machine and what the apps may use of it. */
export interface Capacity {
  /** Processes of each app. */
  readonly processes: number;
  /** Share of a core that each of them may use, 0 to 1. */
  readonly share: number;
  /** Of the machine. All tiers and the client use them. */
  readonly cores: number;
}

type CpuUs = MeasuredRun["cpuUsPerEvent"] & { readonly client: number | null };

/** The highest rate that the model allows, and what limits it. */
export interface Limit {
  readonly perSecond: number;
  readonly by: "gateway" | "writer" | "ranker" | "machine";
}

/**
 * The bottleneck law, with which `tally plan` calculates too: a tier carries its share of cores divided by its CPU time for each event, and
 * the system what its weakest tier carries. `cpuUs`: as measured, in µs for each event.
 */
export function limitOf({ processes, share, cores }: Capacity, cpuUs: CpuUs): Limit {
  const carries = (own: number, us: number | null): number => (us === null || us === 0 ? Infinity : (own * 1e6) / us);
  const all = [cpuUs.gateway, cpuUs.writer, cpuUs.ranker, cpuUs.broker, cpuUs.database, cpuUs.redis, cpuUs.client];
  const limits: readonly Limit[] = [
    ...(["gateway", "writer", "ranker"] as const).map((by) => ({
      by,
      perSecond: carries(processes * share, cpuUs[by]),
    })),
    {
      by: "machine",
      perSecond: carries(
        cores,
        all.reduce<number>((sum, us) => sum + (us ?? 0), 0),
      ),
    },
  ];
  return limits.reduce((lowest, one) => (one.perSecond < lowest.perSecond ? one : lowest));
}
