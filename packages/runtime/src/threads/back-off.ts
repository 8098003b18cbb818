import { backOffMs } from "../failures/back-off.ts";

const healthyAfterMs = 30_000;

/** How long to wait before a thread is started again. */
export class BackOff {
  #failures = 0;

  /** `readyForMs`: how long the thread was ready before it died. After 30 s its earlier deaths no longer count. */
  nextDelayMs(readyForMs: number): number {
    if (readyForMs >= healthyAfterMs) this.#failures = 0;
    this.#failures += 1;
    return backOffMs(this.#failures, { firstMs: 100, longestMs: 10_000 });
  }
}
