import { clockOf, listBatches, placeAt, readRankingMessages, pruneRankingMessages } from "@tally/database";
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
  /** The first and the last epoch whose batches are checked. Messages of the newest may still be queued. */
  readonly from: number;
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: Repaired) => void;
  /** Called for each batch that it ranks. */
  readonly onRanked?: () => void;
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
  let place: LedgerPlace = placeAt(options.from);
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
        else if (await options.rankings.rank(options.domain, message)) {
          ranked++;
          options.onRanked?.();
        }
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
  readonly rankings: Pick<Rankings, "isBuilding" | "unmarked">;
  /** The place that the last call returned. */
  readonly behind: LedgerPlace;
  /** All batches of epochs up to this one are marked. */
  readonly until: number;
  /** By the database's clock. */
  readonly keptMs: number;
  readonly signal?: AbortSignal;
}

/** Removes the ranking messages of old batches that are marked; 60 bytes of each batch remain. Stops, at most a page of a
 * thousand later, while a process builds a generation, which needs the messages of all batches since its snapshot.
 * Returns the place to continue from. May be repeated. */
export async function prune({ domain, database, rankings, keptMs, ...range }: PruneOptions): Promise<LedgerPlace> {
  let place = range.behind;
  const storedBefore = (await clockOf(database.writer)) - keptMs;
  while (range.signal?.aborted !== true && !(await rankings.isBuilding(domain))) {
    const page = await listBatches(database.writer, domain, place, range.until, pageSize);
    const young = page.findIndex(({ storedAt }) => storedAt > storedBefore);
    const old = young === -1 ? page : page.slice(0, young);
    const unmarked = new Set<LedgerPlace>(await rankings.unmarked(domain, old));
    const marked = old.filter((batch) => !unmarked.has(batch));
    await database.transaction((transaction) => pruneRankingMessages(transaction, marked));
    place = old.at(-1) ?? place;
    if (old.length < pageSize) break;
  }
  return place;
}
