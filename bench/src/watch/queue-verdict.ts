/** What a queue was at one moment: its messages, and how near it was to its limit, 0 to 1. */
export interface Depth {
  readonly queued: number;
  readonly fullness: number;
}

/** plateau: it has found its level. peak: it was still growing when the load ended. full: it was at its limit and refused. */
export type QueueVerdict = "plateau" | "peak" | "full";

// RabbitMQ takes messages again when a full quorum queue has fallen to 0.8 of its limit, so it swings between.
const fullFrom = 0.9;
// So many come and go by themselves.
const messagesOfNoise = 10;

/** Of looks at even distances while requests were sent. null: too few to tell. */
export function queueVerdictOf(depths: readonly Depth[]): QueueVerdict | null {
  const third = Math.floor(depths.length / 3);
  if (third === 0) return null;
  const end = depths.slice(-third);
  if (end.some(({ fullness }) => fullness >= fullFrom)) return "full";
  const middle = spreadOf(depths.slice(-2 * third, -third).map(({ queued }) => queued));
  const last = spreadOf(end.map(({ queued }) => queued));
  // Three times the standard error of the difference of two means: steady growth is far over it, swinging is below.
  const noise = 3 * Math.sqrt((middle.variance + last.variance) / third);
  return last.mean - middle.mean > Math.max(messagesOfNoise, noise) ? "peak" : "plateau";
}

function spreadOf(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const meanOf = (all: readonly number[]): number => all.reduce((sum, value) => sum + value, 0) / all.length;
  const mean = meanOf(values);
  return { mean, variance: meanOf(values.map((value) => (value - mean) ** 2)) };
}
