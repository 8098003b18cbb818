import type { Log } from "@tally/failures";
import type { DatabaseError } from "./database-error.ts";

/**
 * Says in the log when an endpoint goes away and when it is back, not what fails between.
 * Present: the first failure makes it away. Away: a success makes it recovering. Recovering: a failure makes it away again, a second without
 * one makes it present; a server that accepts one connection and refuses the next would fill the log otherwise.
 */
export class EndpointHealth {
  readonly #endpoint: string;
  readonly #log: Log;
  #awaySince: number | undefined;
  #recovery: NodeJS.Timeout | undefined;

  constructor(endpoint: string, log: Log) {
    this.#endpoint = endpoint;
    this.#log = log;
  }

  failed(error: DatabaseError): void {
    const fields = { endpoint: this.#endpoint, err: error };
    this.#log.debug(fields, "database attempt failed");
    if (error.kind !== "unavailable" || error.code === "DATABASE_CLOSED") return;
    clearTimeout(this.#recovery);
    this.#recovery = undefined;
    if (this.#awaySince !== undefined) return;
    this.#awaySince = performance.now();
    this.#log.warn(fields, "database is away");
  }

  worked(): void {
    if (this.#awaySince === undefined || this.#recovery !== undefined) return;
    const fields = { endpoint: this.#endpoint, awayMs: Math.round(performance.now() - this.#awaySince) };
    this.#recovery = setTimeout(() => {
      this.#awaySince = undefined;
      this.#recovery = undefined;
      this.#log.info(fields, "database is back");
    }, recoveryMs).unref();
  }
}

const recoveryMs = 1000;
