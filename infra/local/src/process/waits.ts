/** What the launcher waits for at the moment, so that a person can be shown it. */
export class Waits {
  readonly #all = new Set<{ readonly what: string; readonly sinceMs: number }>();

  /** `what` completes the sentence "waiting for …" until the work has ended. */
  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    const wait = { what, sinceMs: performance.now() };
    this.#all.add(wait);
    try {
      return await work();
    } finally {
      this.#all.delete(wait);
    }
  }

  /** All of them in one line, each with the seconds that it takes so far. Undefined while there is none. */
  get text(): string | undefined {
    if (this.#all.size === 0) return undefined;
    const now = performance.now();
    const each = Array.from(this.#all, ({ what, sinceMs }) => `${what} (${Math.floor((now - sinceMs) / 1000)} s)`);
    return `waiting for ${each.join(", ")}`;
  }
}
