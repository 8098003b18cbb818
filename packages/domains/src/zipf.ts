/** Draws from 1 to `count`, the nth 1/n as likely as the first (Zipf's law). Keeps 8 bytes for each; a draw is a binary search. */
export function zipf(count: number): (random: () => number) => number {
  let sums: Float64Array | undefined;
  return (random) => {
    // Made at the first draw: most processes load the domains and never draw.
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
