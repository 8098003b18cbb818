/**
 * `compute`, called at most once in `keptMs`: calls in that time get the promise of the last one, also while it is pending and when it
 * rejects.
 */
export function kept<T>(compute: () => Promise<T>, keptMs: number): () => Promise<T> {
  let last: Promise<T> | undefined;
  let computedAt = 0;
  return () => {
    const now = performance.now();
    if (last === undefined || now - computedAt >= keptMs) {
      computedAt = now;
      last = compute();
    }
    return last;
  };
}
