/*
 * Times in buckets that grow by 9 %: a quantile is exact to 5 %, and counts of several threads and processes can be
 * added. A report lists pairs of bucket and count, because most buckets are empty.
 */

const firstMs = 0.05;
const bucketsPerOctave = 8;
// About 100 s; longer times count there.
const bucketMax = 168;

/** The bucket of a time. About 20 ns. */
export function bucketOf(ms: number): number {
  if (!(ms > firstMs)) return 0;
  return Math.min(Math.round(Math.log2(ms / firstMs) * bucketsPerOctave), bucketMax);
}

/**
 * The time below which a share `q` of the measured times lies, in ms; 0 without any. `pairs`: bucket, count, bucket,
 * count, … in any order.
 */
export function quantileOf(pairs: readonly number[], q: number): number {
  const counts = summed([pairs]);
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  let left = all * q;
  for (const [bucket, count] of counts) {
    left -= count;
    if (left <= 0) return timeOf(bucket);
  }
  return 0;
}

/** How many times were measured. */
export function countOf(pairs: readonly number[]): number {
  return summed([pairs]).reduce((sum, [, count]) => sum + count, 0);
}

/** The sum of several lists of pairs. */
export function addPairs(lists: readonly (readonly number[])[]): readonly number[] {
  return summed(lists).flat();
}

function summed(lists: readonly (readonly number[])[]): readonly (readonly [bucket: number, count: number])[] {
  const counts = new Map<number, number>();
  for (const pairs of lists) {
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      const [bucket = 0, count = 0] = [pairs[i], pairs[i + 1]];
      counts.set(bucket, (counts.get(bucket) ?? 0) + count);
    }
  }
  return [...counts].toSorted(([a], [b]) => a - b);
}

function timeOf(bucket: number): number {
  return Math.round(firstMs * 2 ** (bucket / bucketsPerOctave) * 100) / 100;
}
