import type { Spread } from "./workload.ts";

/** Draws a number from 1. */
export type Draw = (random: () => number) => number;

/** Draws the keys of a workload: from 1 to `wide`, as many as the contract names, or from 1 to `narrow`. */
export function spreadOver(wide: number, narrow: number): Readonly<Record<Spread, Draw>> {
  return { wide: uniform(wide), narrow: uniform(narrow), zipf: zipf(wide) };
}

/** A source's number of requests at a smaller scale; at least 1. */
export function scaled(count: number, scale: number): number {
  return Math.max(1, Math.round(count * scale));
}

const uniform =
  (count: number): Draw =>
  (random) =>
    1 + Math.floor(random() * count);

/** The nth number is 1/n as likely as the first (Zipf's law). Keeps 8 bytes per number; a draw is a binary search. */
function zipf(count: number): Draw {
  let sums: Float64Array | undefined;
  return (random) => {
    // Made at the first draw: most processes that load workloads never draw.
    sums ??= sumsOf(count);
    const wanted = random() * (sums[count - 1] ?? 0);
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    return low + 1;
  };
}

function sumsOf(count: number): Float64Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let n = 1; n <= count; n++) sums[n - 1] = sum += 1 / n;
  return sums;
}
