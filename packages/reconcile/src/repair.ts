import { listBatches, placeAt, readRankingMessages, type LedgerPlace } from "@tally/ledger";
import { decodeRankingMessage, textOfBatchId, type SqlReader } from "@tally/pipeline";
import type { Applied } from "@tally/rankings";

/*
 * Ledger minus applied marks = batches whose moves are applied again, from the ledger, by the same script that the ranker uses: so
 * it does no harm when their messages come after all, and anyone may do it at any time.
 */

export interface RepairOptions {
  readonly domain: string;
  /** The write endpoint: what a lagging replica does not show yet would be passed over. */
  readonly reader: SqlReader;
  /** The live rankings, or a generation that is being built. */
  readonly rankings: Applied;
  /** Looks at batches that were stored from this time on, ms since 1970. */
  readonly from: number;
  /** And not later than this. Younger ones may be on their way. */
  readonly until: number;
  /** Ends after the page that is under way. */
  readonly signal?: AbortSignal;
  /** Told after each page of a thousand batches. */
  readonly onProgress?: (progress: Repaired) => void;
}

export interface Repaired {
  readonly looked: number;
  readonly healed: number;
  /** Batches that are not ranked and whose moves were pruned: only a new generation helps. */
  readonly beyondRepair: readonly string[];
}

const pageSize = 1000;
// One after the other they would be no faster than new ones come in.
const applyAtOnce = 50;

/** Applies what is missing; an interrupted repair may be begun again. Throws DatabaseError, and what Redis refuses. */
export async function repair(o: RepairOptions): Promise<Repaired> {
  let place = placeAt(Math.max(0, o.from));
  let looked = 0;
  let healed = 0;
  const beyondRepair: string[] = [];
  while (o.signal?.aborted !== true) {
    const page = await listBatches(o.reader, o.domain, place, o.until, pageSize);
    const missing = await o.rankings.unmarked(o.domain, page);
    const moves = await readRankingMessages(o.reader, missing);
    for (let at = 0; at < missing.length; at += applyAtOnce) {
      const applied = missing.slice(at, at + applyAtOnce).map(async (batch) => {
        const body = moves.get(textOfBatchId(batch));
        if (body === undefined) beyondRepair.push(textOfBatchId(batch));
        else if (await o.rankings.apply(o.domain, decodeRankingMessage(body))) healed++;
      });
      await Promise.all(applied);
    }
    looked += page.length;
    o.onProgress?.({ looked, healed, beyondRepair });
    const last: LedgerPlace | undefined = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    place = last;
  }
  return { looked, healed, beyondRepair };
}
