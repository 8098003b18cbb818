import type { Report } from "./report.ts";
import { tierNames } from "./watch/tiers.ts";

/** A figure by which runs are compared. null: unknown for a run. */
export interface Figure {
  readonly name: string;
  readonly of: (report: Report) => number | null;
}

export const figures: readonly Figure[] = [
  { name: "accepted /s", of: ({ accepted }) => accepted.perSecond },
  { name: "stored /s", of: ({ stored }) => stored.perSecond },
  { name: "ranked /s", of: ({ ranked }) => ranked.perSecond },
  { name: "reads /s", of: ({ reads }) => (reads.requests === 0 ? null : reads.perSecond) },
  { name: "p50 ms", of: ({ latencyMs }) => latencyMs?.p50 ?? null },
  { name: "p99 ms", of: ({ latencyMs }) => latencyMs?.p99 ?? null },
  { name: "to ranked p99", of: ({ eventToRankedMs }) => eventToRankedMs?.p99 ?? null },
  { name: "CPU µs/event", of: ({ cpuUsPerEvent }) => cpuUsPerEvent.total },
  ...[...tierNames, "client" as const].map((tier) => ({
    name: `  ${tier}`,
    of: ({ cpuUsPerEvent }: Report) => cpuUsPerEvent[tier],
  })),
];

/** The rates by which runs are judged, in this order: the first that is known. */
export const throughputs: readonly Figure[] = [
  { name: "ranked /s", of: ({ accepted, ranked }) => (accepted.events === 0 ? null : ranked.perSecond) },
  { name: "accepted /s", of: ({ accepted }) => (accepted.events === 0 ? null : accepted.perSecond) },
  { name: "reads /s", of: ({ reads }) => (reads.requests === 0 ? null : reads.perSecond) },
];

/** Odd rounds reverse the one before: fair on a machine that becomes slower. Each pair begins with another run. */
export function orderOfRound<T>(all: readonly T[], round: number): readonly T[] {
  const first = Math.floor(round / 2) % Math.max(1, all.length);
  const rotated = [...all.slice(first), ...all.slice(0, first)];
  return round % 2 === 0 ? rotated : rotated.toReversed();
}
