interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Tells when something begins to fail and when it works again: one line each, however often it is tried between. */
export class Outage {
  readonly #log: Log;
  readonly #what: string;
  #since: number | undefined;

  /** `what` completes "cannot ..." and "can again ...". */
  constructor(log: Log, what: string) {
    this.#log = log;
    this.#what = what;
  }

  failed(error: unknown): void {
    if (this.#since !== undefined) return;
    this.#since = Date.now();
    this.#log.warn({ err: error }, `cannot ${this.#what}; trying on`);
  }

  worked(): void {
    if (this.#since === undefined) return;
    this.#log.info({ forMs: Date.now() - this.#since }, `can again ${this.#what}`);
    this.#since = undefined;
  }
}
