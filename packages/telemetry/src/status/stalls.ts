import type { DomainStatus } from "./status.ts";

// A batch that has just arrived in an idle system waits for less.
const stalledAfterMs = 3000;

/** Remembers since when events of a domain wait without progress. */
export class Stalls {
  readonly #since = new Map<string, number>();

  /** The domains whose events wait, while a stage or a process did not progress, at each call of the last 3 s. */
  of(domains: readonly DomainStatus[]): readonly string[] {
    const now = performance.now();
    return domains.flatMap(({ name, secondsToDrain, queues }) => {
      if (secondsToDrain !== null || queues.ingest.batches === null) {
        this.#since.delete(name);
        return [];
      }
      const since = this.#since.get(name) ?? now;
      this.#since.set(name, since);
      return now - since >= stalledAfterMs ? [name] : [];
    });
  }
}
