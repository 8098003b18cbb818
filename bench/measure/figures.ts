import type { Report } from "./report.ts";
import { tierNames } from "./watch/tiers.ts";

/** The figures by which runs are compared. null: unknown for a run. */
export const figures: readonly (readonly [name: string, of: (report: Report) => number | null])[] = [
  ["accepted /s", ({ accepted }) => accepted.perSecond],
  ["stored /s", ({ stored }) => stored.perSecond],
  ["ranked /s", ({ ranked }) => ranked.perSecond],
  ["reads /s", ({ reads }) => (reads.requests === 0 ? null : reads.perSecond)],
  ["p50 ms", ({ latencyMs }) => latencyMs?.p50 ?? null],
  ["p99 ms", ({ latencyMs }) => latencyMs?.p99 ?? null],
  ["to ranked p99", ({ eventToRankedMs }) => eventToRankedMs?.p99 ?? null],
  ["calibration ns", ({ disturbance }) => disturbance?.calibration.meanNs ?? null],
  ["CPU µs/event", ({ cpuUsPerEvent }) => cpuUsPerEvent.total],
  ...tierNames.map((tier) => [`  ${tier}`, ({ cpuUsPerEvent }: Report) => cpuUsPerEvent[tier]] as const),
];
