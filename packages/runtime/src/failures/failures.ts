import { setTimeout as delay } from "node:timers/promises";

export interface CatalogueEntry {
  /** Begins the message of each such error. */
  readonly message: string;
  /** When it is thrown, and what the caller can do. */
  readonly when: string;
}

/** The errors of a package by code. docs/errors.md is made of them. */
export type ErrorCatalogue<Code extends string> = Readonly<Record<Code, CatalogueEntry>>;

/** An error of a package's catalogue. Its message is the catalogue's, then the detail. */
export abstract class CataloguedError<Code extends string> extends Error {
  readonly code: Code;

  constructor(catalogue: ErrorCatalogue<Code>, code: Code, detail: string, options?: ErrorOptions) {
    super(detail === "" ? catalogue[code].message : `${catalogue[code].message}: ${detail}`, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** An error's message and those of its causes, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors : [];
  // For a refused connection only the inner errors, one per address, have a message.
  const own = error.message || inner.map(reasonOf).join(", ") || error.name;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
}

/** The logger that a package needs. Pino's fits. */
export type Log = Readonly<Record<"debug" | "info" | "warn" | "error", (fields: object, message: string) => void>>;

const drop = (): void => undefined;

/** Drops every line. */
export const silentLog: Log = { debug: drop, info: drop, warn: drop, error: drop };

/** Logs when something begins to fail and when it works again: one line each, regardless of the attempts between.
 *
 *   working      a failure logs a warning → failing
 *   failing      a success → recovering
 *   recovering   a failure → failing; `settleMs` without one logs the recovery → working */
export class Outage {
  readonly #log: Log;
  readonly #action: string;
  readonly #settleMs: number;
  #failingSince: number | undefined;
  #recovery: NodeJS.Timeout | undefined;

  /** `action` completes "cannot ...", such as "store purchases". `settleMs`: the outage ends when nothing failed for
   * this long after a success. */
  constructor(log: Log, action: string, { settleMs = 0 } = {}) {
    this.#log = log;
    this.#action = action;
    this.#settleMs = settleMs;
  }

  failed(error: unknown): void {
    clearTimeout(this.#recovery);
    this.#recovery = undefined;
    if (this.#failingSince !== undefined) return;
    this.#failingSince = performance.now();
    this.#log.warn({ err: error }, `cannot ${this.#action}; retrying`);
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
    this.#log.info({ downMs }, `recovered: ${this.#action} (down ${downMs} ms)`);
  }
}

/** The one table of delays before work is repeated: the first, doubled with each further failure up to the longest. */
const backOffs = {
  /** A deadlock or a lock that was held too long: the other transaction ends within ms. */
  conflict: { firstMs: 5, longestMs: 500 },
  /** A server that is down, overloaded or changing its role, or a publish without a confirm. */
  unavailable: { firstMs: 50, longestMs: 2000 },
  /** Any other error, a defect or a wrong configuration. Nothing is dropped; an early retry does not help. */
  unexpected: { firstMs: 500, longestMs: 10_000 },
  thread: { firstMs: 100, longestMs: 10_000 },
} as const;

export type FailureClass = keyof typeof backOffs;

/** How long to wait after `failures` failures in a row (from 1), minus a random part of at most half. The random part
 * keeps clients that fail together from returning together. */
export function backOffMs(failures: number, failureClass: FailureClass): number {
  const { firstMs, longestMs } = backOffs[failureClass];
  return Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}

/** Waits before work that failed `failures` times in a row is repeated, at most until `signal` aborts.
 * `error.failureClass` names its class. */
export async function backOff(failures: number, error: unknown, signal?: AbortSignal): Promise<void> {
  const given = error instanceof Error && "failureClass" in error ? error.failureClass : undefined;
  const failureClass = given === "conflict" || given === "unavailable" ? given : "unexpected";
  await delay(backOffMs(failures, failureClass), undefined, { signal }).catch(() => undefined);
}
