import { backOffMs } from "@tally/failures";

const healthyAfterMs = 30_000;

/** How long to wait before a thread is started again. */
export class BackOff {
  #failures = 0;

  /** `readyForMs`: how long the thread that failed had been ready. From 30 s on the failures before it are forgotten. */
  nextDelayMs(readyForMs: number): number {
    if (readyForMs >= healthyAfterMs) this.#failures = 0;
    this.#failures += 1;
    return backOffMs(this.#failures, { firstMs: 100, longestMs: 10_000 });
  }
}
