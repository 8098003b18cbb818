import { listBatches, placeAt, readRankingMessages, type LedgerPlace } from "@tally/database";
import { readRankingMessage, textOfBatchId, type SqlReader } from "@tally/contract";
import type { BatchRanking } from "@tally/redis";

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
  /** Only a rebuild ranks these batches: an earlier release has removed their ranking messages, or they are of a later
   * release, as after a rollback. */
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
        const body = messages.get(textOfBatchId(batch));
        const message = body && readRankingMessage(body);
        if (message === undefined || message instanceof Error) beyondRepair.push(textOfBatchId(batch));
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
