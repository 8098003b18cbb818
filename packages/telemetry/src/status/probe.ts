/** What a probe found; undefined: no result in time, or an error. */
export type Probed<T> = { readonly value: T; readonly tookMs: number } | undefined;

/**
 * Asks a server that may not respond. While a request is pending, later calls share it: a frozen server collects one
 * question from each probe. Never rejects.
 */
export class Probe<T> {
  readonly #ask: () => Promise<T>;
  readonly #withinMs: number;
  #asked: Promise<Probed<T>> | undefined;

  constructor(withinMs: number, ask: () => Promise<T>) {
    this.#ask = ask;
    this.#withinMs = withinMs;
  }

  async read(): Promise<Probed<T>> {
    this.#asked ??= this.#timed().finally(() => (this.#asked = undefined));
    // No AbortController: its error has a stack, which takes as long as the rest of a reading.
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), this.#withinMs);
    try {
      return await Promise.race([this.#asked, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #timed(): Promise<Probed<T>> {
    const begun = performance.now();
    try {
      const value = await this.#ask();
      return { value, tookMs: performance.now() - begun };
    } catch {
      return undefined; // a server that does not respond is the result here, not an error
    }
  }
}
