import type { Database } from "@tally/database";
import { listBatches, pruneRankingMessages, type LedgerPlace } from "@tally/ledger";
import type { Rankings } from "@tally/rankings";

const pageSize = 1000;

export interface PruneOptions {
  readonly domain: string;
  readonly database: Database;
  readonly rankings: Pick<Rankings, "isBuilding">;
  /** Where the last pruning ended. */
  readonly behind: LedgerPlace;
  /** Everything that was stored up to this time is known to be marked, ms since 1970. */
  readonly until: number;
  readonly signal?: AbortSignal;
}

/**
 * Forgets the moves of old batches: the ledger keeps 60 bytes of each. Pauses, a page of a thousand at most later, while some
 * process builds a generation: it needs the moves of all that came since its snapshot. Answers the place where to go on. May be
 * repeated.
 */
export async function prune({ domain, database, rankings, behind, until, signal }: PruneOptions): Promise<LedgerPlace> {
  let place = behind;
  while (signal?.aborted !== true && !(await rankings.isBuilding(domain))) {
    const page = await listBatches(database.writer, domain, place, until, pageSize);
    await database.transaction((transaction) => pruneRankingMessages(transaction, page));
    place = page.at(-1) ?? place;
    if (page.length < pageSize) break;
  }
  return place;
}
