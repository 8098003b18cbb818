import type { Second } from "../../kit/load.ts";
import type { PhaseResult } from "../load/load-plan.ts";

/** A result and when it began, in ms by one clock. */
interface Timed {
  readonly result: PhaseResult;
  readonly startedAtMs: number;
}

const nothing: Second = { accepted: 0, read: 0, failed: 0 };

/**
 * Moves the times of results to the start of the first of them, so that they can be merged. Lengths move exactly, the figures of each second to the
 * nearest second.
 */
export function alignResults(all: readonly Timed[]): readonly PhaseResult[] {
  const firstMs = Math.min(...all.map(({ startedAtMs }) => startedAtMs));
  return all.map(({ result, startedAtMs }) => {
    const behind = (startedAtMs - firstMs) / 1000;
    return {
      ...result,
      seconds: result.seconds + behind,
      sendingSeconds: result.sendingSeconds + behind,
      perSecond: [...Array.from({ length: Math.round(behind) }, () => nothing), ...result.perSecond],
    };
  });
}
