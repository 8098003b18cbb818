import {
  listBatches,
  placeAt,
  readRankingMessages,
  type LedgerPlace,
  type Database,
  pruneRankingMessages,
} from "@tally/database";
import {
  decodeRankingMessage,
  textOfBatchId,
  UndecodableRankingMessage,
  type RankingMessage,
  type SqlReader,
} from "@tally/contract";
import type { BatchRanking, Rankings } from "@tally/redis";

/*
 * Finds the batches of the ledger without a mark and ranks them by their messages in the ledger, with the script that
 * the ranker uses. So it may run at any time, in several processes, and does no harm if a message arrives after all.
 */

interface RepairOptions {
  readonly domain: string;
  /** The write endpoint: batches that a lagging replica does not show would be missed. */
  readonly reader: SqlReader;
  /** The live rankings, or a generation that is being built. */
  readonly rankings: BatchRanking;
  /** Checks batches that were stored at this time or later, ms since 1970. */
  readonly from: number;
  /** And at this time or before. Messages of younger batches may still be queued. */
  readonly until: number;
  /** Ends it after the current page. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each page of a thousand batches. */
  readonly onProgress?: (progress: Repaired) => void;
}

export interface Repaired {
  readonly checked: number;
  readonly ranked: number;
  /**
   * Batches that are not ranked and whose ranking messages were pruned, or are of a later release: only a rebuild
   * helps.
   */
  readonly beyondRepair: readonly string[];
}

const pageSize = 1000;
// Ranked in parallel: one at a time would not keep up with new batches.
const rankAtOnce = 50;

/** Ranks what is missing; may be repeated after an interruption. Throws DatabaseError, and errors of Redis. */
export async function repair(options: RepairOptions): Promise<Repaired> {
  let place = placeAt(Math.max(0, options.from));
  let checked = 0;
  let ranked = 0;
  const beyondRepair: string[] = [];
  while (options.signal?.aborted !== true) {
    const page = await listBatches(options.reader, options.domain, place, options.until, pageSize);
    const missing = await options.rankings.unmarked(options.domain, page);
    const messages = await readRankingMessages(options.reader, missing);
    for (let at = 0; at < missing.length; at += rankAtOnce) {
      const ranking = missing.slice(at, at + rankAtOnce).map(async (batch) => {
        const message = readable(messages.get(textOfBatchId(batch)));
        if (message === undefined) beyondRepair.push(textOfBatchId(batch));
        else if (await options.rankings.rank(options.domain, message)) ranked++;
      });
      await Promise.all(ranking);
    }
    checked += page.length;
    options.onProgress?.({ checked, ranked, beyondRepair });
    const last: LedgerPlace | undefined = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    place = last;
  }
  return { checked, ranked, beyondRepair };
}

/** Undefined: pruned, or of a later release, as after a rollback. */
function readable(body: Buffer | undefined): RankingMessage | undefined {
  if (body === undefined) return undefined;
  try {
    return decodeRankingMessage(body);
  } catch (error) {
    if (error instanceof UndecodableRankingMessage) return undefined;
    throw error;
  }
}

interface PruneOptions {
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
