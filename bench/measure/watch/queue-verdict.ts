/** The messages of a queue at one moment, and their share of its limit, 0 to 1. */
export interface Depth {
  readonly queued: number;
  readonly fullness: number;
}

/** plateau: its depth is level. peak: it was still growing when the load ended. full: it was at its limit and rejected messages. */
export type QueueVerdict = "plateau" | "peak" | "full";

const fullFrom = 0.9;
// A full quorum queue rejects messages until it has drained to 0.8 of its limit. With slow consumers that takes as long as a run.
const rejectsDownTo = 0.75;
// Normal variation.
const messagesOfNoise = 10;

/** Judges observations at even intervals during the load. null: too few. */
export function queueVerdictOf(depths: readonly Depth[]): QueueVerdict | null {
  const third = Math.floor(depths.length / 3);
  if (third === 0) return null;
  const lastFull = depths.findLastIndex(({ fullness }) => fullness >= fullFrom);
  if (lastFull >= 0 && depths.slice(lastFull).every(({ fullness }) => fullness >= rejectsDownTo)) return "full";
  const middle = spreadOf(depths.slice(-2 * third, -third).map(({ queued }) => queued));
  const last = spreadOf(depths.slice(-third).map(({ queued }) => queued));
  // Three times the standard error of the difference of two means: steady growth is far above it, oscillation below.
  const noise = 3 * Math.sqrt((middle.variance + last.variance) / third);
  return last.mean - middle.mean > Math.max(messagesOfNoise, noise) ? "peak" : "plateau";
}

function spreadOf(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const meanOf = (all: readonly number[]): number => all.reduce((sum, value) => sum + value, 0) / all.length;
  const mean = meanOf(values);
  return { mean, variance: meanOf(values.map((value) => (value - mean) ** 2)) };
}
