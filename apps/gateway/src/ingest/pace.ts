/*
 * How fast events may be let in. Client, gateway, broker, database and Redis may share what they run on: then nothing but
 * the queues says that the later stages are behind, and a gateway that takes all it can get would only move the waiting
 * from the door into the queues, without bound. So each waiting message makes the door slower by a little: at rest with
 * short queues there is no limit; under load the rate settles where the queues neither grow nor drain.
 */

// 2 µs per event for each waiting message: 40 waiting messages let in 12,500 events/s, 5 waiting messages 100,000/s.
const usPerEventPerMessage = 2;
// A queue that does not drain at all (Redis is away: storing must go on) slows the door to 5,000 events/s, not to nothing.
const usPerEventMax = 200;
// Large events take the time of several small ones: a picture of 100 kB as much as 25 of them.
const bytesPerEvent = 4096;
const pollIntervalMs = 50;
const idleAfterMs = 5000;

export interface PaceOptions {
  /** How many messages wait behind the door, or undefined while the broker cannot say. */
  readonly backlog: () => Promise<number | undefined>;
}

/** A leaky bucket whose rate follows the backlog. One for each domain. */
export class Pace {
  readonly #options: PaceOptions;
  readonly #timer: NodeJS.Timeout;
  #usPerEvent = 0;
  #backlog = 0;
  #openAtMs = 0;
  #asking = false;
  #passedAtMs = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#ask(), pollIntervalMs);
  }

  /** Messages that waited behind the door when it was last asked. */
  get backlog(): number {
    return this.#backlog;
  }

  /** How long the next batch has to wait, in ms; 0 or less when it may go. */
  waitMs(nowMs: number): number {
    return this.#openAtMs - nowMs;
  }

  /** Says that a batch of so many events and bytes has gone. */
  passed(events: number, bytes: number, nowMs: number): void {
    this.#passedAtMs = nowMs;
    const weight = Math.max(events, bytes / bytesPerEvent);
    this.#openAtMs = Math.max(this.#openAtMs, nowMs) + (weight * this.#usPerEvent) / 1000;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  // Never asks twice at once: a slow broker is not asked faster than it answers.
  async #ask(): Promise<void> {
    // Each domain asks for two queues twenty times a second: not while it has nothing to let in and nothing waits.
    const isIdle = this.#backlog === 0 && performance.now() - this.#passedAtMs > idleAfterMs;
    if (this.#asking || isIdle) return;
    this.#asking = true;
    try {
      this.#backlog = (await this.#options.backlog()) ?? this.#backlog;
      this.#usPerEvent = Math.min(this.#backlog * usPerEventPerMessage, usPerEventMax);
    } finally {
      this.#asking = false;
    }
  }
}
