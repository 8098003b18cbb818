import { type Database, findTimes } from "@tally/database";
import type { Rankings } from "@tally/redis";

interface LostBatchesOptions {
  readonly domain: string;
  readonly database: Pick<Database, "writer">;
  readonly rankings: Pick<Rankings, "newest" | "noteInLedger">;
}

// A server that was the write endpoint until now, and follows the new one, shows the last commits a little later.
const lostAfterMs = 5000;

/**
 * Notices that the ledger has lost batches that are ranked: the database was restored to an earlier moment, or a
 * replica without the last commits was promoted. The newest ranked batch must be in the ledger, and so must the newest
 * one that was found there before: batches that are stored after a restore may be ranked before the next look.
 */
export class LostBatches {
  readonly #options: LostBatchesOptions;
  #expected: number | undefined;
  #missingSinceMs: number | undefined;

  constructor(options: LostBatchesOptions) {
    this.#options = options;
  }

  /**
   * Whether a ranked batch has been missing for 5 s. One lookup in Redis and one in the ledger. Throws DatabaseError,
   * and errors of Redis.
   */
  async look(): Promise<boolean> {
    const { domain, database, rankings } = this.#options;
    const { ranked, inLedger } = await rankings.newest(domain);
    // Stays while the database is down: then it is the newest one before the outage.
    const expected = (this.#expected ??= ranked);
    const times = [expected, inLedger].filter((time) => time !== undefined);
    const found = await findTimes(database.writer, domain, times);
    if (times.some((time) => !found.has(time))) {
      this.#missingSinceMs ??= performance.now();
      return performance.now() - this.#missingSinceMs >= lostAfterMs;
    }
    if (expected !== undefined && expected !== inLedger) await rankings.noteInLedger(domain, expected);
    this.forget();
    return false;
  }

  /** To be called when new rankings are built: what the earlier ones contained no longer matters. */
  forget(): void {
    this.#expected = undefined;
    this.#missingSinceMs = undefined;
  }
}
