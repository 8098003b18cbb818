import { type Database, listBatches, pruneRankingMessages, type LedgerPlace } from "@tally/database";
import type { Rankings } from "@tally/redis";

const pageSize = 1000;

export interface PruneOptions {
  readonly domain: string;
  readonly database: Database;
  readonly rankings: Pick<Rankings, "isBuilding">;
  /** The place that the last call returned. */
  readonly behind: LedgerPlace;
  /** All batches stored up to this time are marked, ms since 1970. */
  readonly until: number;
  readonly signal?: AbortSignal;
}

/**
 * Removes the ranking messages of old batches; 60 bytes of each batch remain. Stops, at most a page of a thousand
 * later, while a process builds a generation, which needs the messages of all batches since its snapshot. Returns the
 * place to continue from. May be repeated.
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
