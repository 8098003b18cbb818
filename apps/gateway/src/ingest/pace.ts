/*
 * How fast events may be published. When gateway, broker, database and Redis share a machine, only the length of the
 * queues shows that later stages are behind. Without a limit the queues would grow without bound. So each waiting
 * message slows the gateway a little: with empty queues there is no limit; under load the rate settles where the queues
 * neither grow nor drain.
 */

// 2 µs per event for each waiting message: 12,500 events/s with 40 waiting messages, 100,000/s with 5.
const usPerEventPerMessage = 2;
// A queue that does not drain (Redis is down, storing must continue) slows publishing to 5,000 events/s, not to zero.
const usPerEventMax = 200;
// A large event counts as several: a picture of 100 kB as 25.
const bytesPerEvent = 4096;
const pollIntervalMs = 50;
const idleAfterMs = 5000;

export type Pace = ReturnType<typeof openPace>;

/** A leaky bucket whose rate follows the backlog. One for each domain. `readBacklog`: how many messages wait in the
 * queues; undefined while the broker does not respond. */
export function openPace(readBacklog: () => Promise<number | undefined>) {
  let usPerEvent = 0;
  let backlog = 0;
  let nextAtMs = 0;
  let polling = false;
  let publishedAtMs = 0;

  // Never runs twice at once: a slow broker gets no further poll before it responds.
  async function poll(): Promise<void> {
    // Each domain polls two queues 20 times a second, except when nothing is published and nothing waits.
    const isIdle = backlog === 0 && performance.now() - publishedAtMs > idleAfterMs;
    if (polling || isIdle) return;
    polling = true;
    try {
      backlog = (await readBacklog()) ?? backlog;
      usPerEvent = Math.min(backlog * usPerEventPerMessage, usPerEventMax);
    } finally {
      polling = false;
    }
  }

  const timer = setInterval(() => void poll(), pollIntervalMs);
  return {
    /** How long the next batch must wait, in ms; 0 or less: not at all. */
    waitMs: (nowMs: number): number => nextAtMs - nowMs,
    /** Counts a batch that is published. */
    published(events: number, bytes: number, nowMs: number): void {
      publishedAtMs = nowMs;
      const weight = Math.max(events, bytes / bytesPerEvent);
      nextAtMs = Math.max(nextAtMs, nowMs) + (weight * usPerEvent) / 1000;
    },
    close: (): void => clearInterval(timer),
  };
}
