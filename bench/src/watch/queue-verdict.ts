/** What a queue was at one moment: its messages, and how near it was to its limit, 0 to 1. */
export interface Depth {
  readonly queued: number;
  readonly fullness: number;
}

/** plateau: it has found its level. peak: it was still growing when the load ended. full: it was at its limit and refused. */
export type QueueVerdict = "plateau" | "peak" | "full";

const fullFrom = 0.9;
// A quorum queue that was full refuses until it has fallen to 0.8 of its limit: slow consumers take the length of a run for that.
const refusesDownTo = 0.75;
// So many come and go by themselves.
const messagesOfNoise = 10;

/** Of looks at even distances while requests were sent. null: too few to tell. */
export function queueVerdictOf(depths: readonly Depth[]): QueueVerdict | null {
  const third = Math.floor(depths.length / 3);
  if (third === 0) return null;
  const lastFull = depths.findLastIndex(({ fullness }) => fullness >= fullFrom);
  if (lastFull >= 0 && depths.slice(lastFull).every(({ fullness }) => fullness >= refusesDownTo)) return "full";
  const middle = spreadOf(depths.slice(-2 * third, -third).map(({ queued }) => queued));
  const last = spreadOf(depths.slice(-third).map(({ queued }) => queued));
  // Three times the standard error of the difference of two means: steady growth is far over it, swinging is below.
  const noise = 3 * Math.sqrt((middle.variance + last.variance) / third);
  return last.mean - middle.mean > Math.max(messagesOfNoise, noise) ? "peak" : "plateau";
}

function spreadOf(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const meanOf = (all: readonly number[]): number => all.reduce((sum, value) => sum + value, 0) / all.length;
  const mean = meanOf(values);
  return { mean, variance: meanOf(values.map((value) => (value - mean) ** 2)) };
}
