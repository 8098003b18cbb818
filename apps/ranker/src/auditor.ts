import { listBatches, placeAt, readMoves, type LedgerPlace } from "@tally/ledger";
import { decodeRankingMessage, textOfBatchId, type SqlReader } from "@tally/pipeline";
import type { Rankings } from "@tally/rankings";

/*
 * Heals what the messages missed. A batch that is in the ledger and whose mark is not set is applied from the ledger, by the
 * same script: so it does no harm when the message comes after all. What can be missing: the last writes of a Redis that
 * started again from an older file, or everything, when it came back empty.
 *
 * Each round looks at what was stored since the last one. A Redis that is another process than before is looked at from the
 * beginning of the ledger.
 */

export interface AuditorOptions {
  readonly domains: readonly string[];
  readonly reader: SqlReader;
  readonly rankings: Rankings;
  readonly log: Log;
  /** Told how many batches a round applied. */
  readonly onHealed: (domain: string, batches: number) => void;
}

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const roundEveryMs = 5000;
// Younger batches are on their way through the rank queue.
const settledAfterMs = 10_000;
// A ledger row shows when its transaction commits, which is later than the time it carries.
const overlapMs = 30_000;
const pageSize = 1000;

export class Auditor {
  readonly #o: AuditorOptions;
  readonly #seenUntil = new Map<string, number>();
  #instance = "";
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: AuditorOptions) {
    this.#o = options;
    this.#schedule(0);
  }

  /** Begins nothing more. A round that waits for Redis or the database ends when their connections are closed. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  // Never two rounds at once: the next is scheduled when one has ended.
  #schedule(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      void this.#auditAll()
        .catch((error: unknown) => {
          // Database or Redis are away: the next round looks again from where the last good one ended.
          if (!this.#stopped) this.#o.log.warn({ err: error }, "auditor: a round failed; trying again");
        })
        .finally(() => this.#schedule(roundEveryMs));
    }, delayMs);
  }

  async #auditAll(): Promise<void> {
    const instance = await this.#o.rankings.instance();
    if (instance !== this.#instance) this.#seenUntil.clear();
    for (const domain of this.#o.domains) await this.#audit(domain);
    this.#instance = instance;
  }

  async #audit(domain: string): Promise<void> {
    const until = Date.now() - settledAfterMs;
    let place = placeAt(Math.max(0, (this.#seenUntil.get(domain) ?? 0) - overlapMs));
    let healed = 0;
    while (!this.#stopped) {
      const page = await listBatches(this.#o.reader, domain, place, until, pageSize);
      healed += await this.#heal(domain, page);
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) break;
      place = last;
    }
    if (this.#stopped) return;
    this.#seenUntil.set(domain, until);
    this.#o.onHealed(domain, healed);
    if (healed > 0) this.#o.log.info({ domain, batches: healed }, "auditor: applied batches from the ledger");
  }

  async #heal(domain: string, page: readonly LedgerPlace[]): Promise<number> {
    let healed = 0;
    for (const batch of await this.#o.rankings.unmarked(domain, page)) {
      if (this.#stopped) break;
      const moves = await readMoves(this.#o.reader, batch);
      if (moves === undefined) {
        this.#o.log.error(
          { domain, batch: textOfBatchId(batch) },
          "auditor: a batch is not ranked and its moves are gone",
        );
        continue;
      }
      if (await this.#o.rankings.apply(domain, decodeRankingMessage(moves))) healed++;
    }
    return healed;
  }
}
