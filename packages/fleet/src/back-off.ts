const firstMs = 100;
const longestMs = 10_000;
const healthyAfterMs = 30_000;

/** How long to wait before a thread is started again: 100 ms, doubled with each failure up to 10 s, less up to half of it. */
export class BackOff {
  #failures = 0;

  /** `readyForMs`: how long the thread that failed had been ready. From 30 s on the failures before it are forgotten. */
  nextDelayMs(readyForMs: number): number {
    if (readyForMs >= healthyAfterMs) this.#failures = 0;
    const delayMs = Math.min(firstMs * 2 ** this.#failures, longestMs);
    this.#failures += 1;
    // Jitter: threads that fell together, with their broker say, do not come back together.
    return delayMs * (0.5 + Math.random() / 2);
  }
}
