import { listBatches, placeAt, readRankingMessages, pruneRankingMessages } from "@tally/database";
import type { LedgerPlace, Database } from "@tally/database";
import { decodeRankingMessage, textOfBatchId, UndecodableRankingMessage } from "@tally/contract";
import type { RankingMessage, SqlReader } from "@tally/contract";
import type { BatchRanking, Rankings } from "@tally/redis";

interface RepairOptions {
  readonly domain: string;
  /** The write endpoint: batches that a lagging replica does not show would be missed. */
  readonly reader: SqlReader;
  /** The live rankings, or a generation that is being built. */
  readonly rankings: BatchRanking;
  /** Checks batches that were stored in this time, ms since 1970. Messages of younger ones may still be queued. */
  readonly from: number;
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: Repaired) => void;
}

export interface Repaired {
  readonly checked: number;
  readonly ranked: number;
  /** Batches whose ranking messages were pruned, or are of a later release: only a rebuild ranks them. */
  readonly beyondRepair: readonly string[];
}

const pageSize = 1000;
// Ranked in parallel: one at a time would not keep up with new batches.
const rankAtOnce = 50;

/** Ranks the batches of the ledger without a mark by their messages in the ledger, with the script of the ranker: it
 * may run at any time, in several processes, and be repeated. Throws DatabaseError, and errors of Redis. */
export async function repair(options: RepairOptions): Promise<Repaired> {
  let place: LedgerPlace = placeAt(Math.max(0, options.from));
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
    place = page.at(-1) ?? place;
    if (page.length < pageSize) break;
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

/** Removes the ranking messages of old batches; 60 bytes of each batch remain. Stops, at most a page of a thousand
 * later, while a process builds a generation, which needs the messages of all batches since its snapshot. Returns the
 * place to continue from. May be repeated. */
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
