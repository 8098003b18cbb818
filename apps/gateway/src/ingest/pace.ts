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

/** A leaky bucket whose rate follows the backlog. One for each domain. */
export class Pace {
  readonly #readBacklog: () => Promise<number | undefined>;
  readonly #timer: NodeJS.Timeout;
  #usPerEvent = 0;
  #backlog = 0;
  #nextAtMs = 0;
  #polling = false;
  #publishedAtMs = 0;

  /** `readBacklog`: how many messages wait in the queues; undefined while the broker does not respond. */
  constructor(readBacklog: () => Promise<number | undefined>) {
    this.#readBacklog = readBacklog;
    this.#timer = setInterval(() => void this.#poll(), pollIntervalMs);
  }

  /** Messages in the queues at the last poll. */
  get backlog(): number {
    return this.#backlog;
  }

  /** How long the next batch must wait, in ms; 0 or less: not at all. */
  waitMs(nowMs: number): number {
    return this.#nextAtMs - nowMs;
  }

  /** Counts a batch that is published. */
  published(events: number, bytes: number, nowMs: number): void {
    this.#publishedAtMs = nowMs;
    const weight = Math.max(events, bytes / bytesPerEvent);
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs) + (weight * this.#usPerEvent) / 1000;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  // Never runs twice at once: a slow broker gets no further poll before it responds.
  async #poll(): Promise<void> {
    // Each domain polls two queues 20 times a second, except when nothing is published and nothing waits.
    const isIdle = this.#backlog === 0 && performance.now() - this.#publishedAtMs > idleAfterMs;
    if (this.#polling || isIdle) return;
    this.#polling = true;
    try {
      this.#backlog = (await this.#readBacklog()) ?? this.#backlog;
      this.#usPerEvent = Math.min(this.#backlog * usPerEventPerMessage, usPerEventMax);
    } finally {
      this.#polling = false;
    }
  }
}
