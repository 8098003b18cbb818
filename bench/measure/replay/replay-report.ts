import { latencyOf, round } from "../latency.ts";
import type { Phase } from "../load/load-plan.ts";
import type { ReplayReport } from "../report.ts";
import { lateFromMs, spanMsOf, type ScheduleKept } from "./replay-phase.ts";

/** null for any other phase. */
export function replayReport(phase: Phase, kept: ScheduleKept | undefined): ReplayReport | null {
  if (phase.model !== "replay" || kept === undefined) return null;
  const { file, speed, keys, found } = phase;
  const behind = latencyOf(kept.behind);
  return {
    file,
    speed,
    keys,
    events: found.lines,
    originalSeconds: round(spanMsOf(found) / 1000, 3),
    untimed: found.lines - found.timed,
    disordered: found.disordered,
    late: kept.late,
    lateFromMs,
    // The histogram ends at 120 s.
    behindMs: behind && { ...behind, max: round(kept.mostBehindMs, 3) },
    behindAtEndMs: round(kept.behindAtEndMs, 3),
  };
}

/** Cells of a line of text. */
export function scheduleCells({
  replay,
  sent,
}: {
  readonly replay: ReplayReport;
  readonly sent: number;
}): readonly string[] {
  const { late, behindMs, behindAtEndMs, untimed, disordered, originalSeconds, keys } = replay;
  const behind =
    behindMs === null
      ? ""
      : `p50 ${behindMs.p50.toFixed(1)}, p99 ${behindMs.p99.toFixed(1)}, at most ${behindMs.max.toFixed(1)} ms behind`;
  return [
    `${originalSeconds} s at speed ${replay.speed}`,
    `${late} of ${sent} sent late, by ${lateFromMs} ms or more`,
    behind,
    `${behindAtEndMs.toFixed(1)} ms at the end`,
    `keys ${keys}`,
    untimed === 0 ? "" : `${untimed} events without a time, spread evenly`,
    disordered === 0 ? "" : `${disordered} events out of order`,
  ];
}
