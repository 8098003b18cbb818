// The ranking messages of a closed epoch may still be in the rank queue.
const settledAfterMs = 3000;

/** Which epochs have been closed for at least 3 s. */
export class SettledEpochs {
  #next = 0;
  #seenAtMs = -Infinity;
  /** All epochs up to this one. */
  to = 0;

  /** All epochs up to `closedTo` are closed. Less than before: the database was restored, or has lost epochs. */
  see(closedTo: number, nowMs: number): void {
    // Only then the next ones are awaited: each ranker closes epochs at its own times, so there may be no pause.
    if (nowMs - this.#seenAtMs >= settledAfterMs) {
      this.to = this.#next;
      this.#next = closedTo;
      this.#seenAtMs = nowMs;
    }
    this.#next = Math.min(this.#next, closedTo);
    this.to = Math.min(this.to, closedTo);
  }
}
