/** The logger that a package needs. Pino's fits. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Drops every line. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

interface OutageOptions {
  /** In both log lines. */
  readonly fields?: object;
  /** The outage ends when nothing failed for this long after a success. 0 by default: with the first success. */
  readonly settleMs?: number;
}

/**
 * Logs when something begins to fail and when it works again: one line each, regardless of the attempts between.
 *
 *   working      a failure logs a warning → failing
 *   failing      a success → recovering
 *   recovering   a failure → failing; `settleMs` without one logs the recovery → working
 */
export class Outage {
  readonly #log: Log;
  readonly #action: string;
  readonly #fields: object;
  readonly #settleMs: number;
  #failingSince: number | undefined;
  #recovery: NodeJS.Timeout | undefined;

  /** `action` completes "cannot ...", such as "store purchases". */
  constructor(log: Log, action: string, { fields = {}, settleMs = 0 }: OutageOptions = {}) {
    this.#log = log;
    this.#action = action;
    this.#fields = fields;
    this.#settleMs = settleMs;
  }

  failed(error: unknown): void {
    clearTimeout(this.#recovery);
    this.#recovery = undefined;
    if (this.#failingSince !== undefined) return;
    this.#failingSince = performance.now();
    this.#log.warn({ ...this.#fields, err: error }, `cannot ${this.#action}; retrying`);
  }

  worked(): void {
    if (this.#failingSince === undefined || this.#recovery !== undefined) return;
    const downMs = Math.round(performance.now() - this.#failingSince);
    if (this.#settleMs === 0) this.#recovered(downMs);
    else this.#recovery = setTimeout(() => this.#recovered(downMs), this.#settleMs).unref();
  }

  #recovered(downMs: number): void {
    this.#failingSince = undefined;
    this.#recovery = undefined;
    this.#log.info({ ...this.#fields, downMs }, `recovered: ${this.#action} (down ${downMs} ms)`);
  }
}
