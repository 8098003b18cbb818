import { setTimeout as delay } from "node:timers/promises";
import { clockOf, closeEarlier, foldBatches, FoldedMeanwhile, isInHistory, listBatches } from "@tally/database";
import { openEpoch, placeAt, readEpochs, readFold, UnexpectedState, withUnmoved } from "@tally/database";
import type { Database, Fold, LedgerBatch, Recounted, ToFold } from "@tally/database";
import { textOfBatchId, type Recount, type SqlSnapshot } from "@tally/contract";
import type { Rankings } from "@tally/redis";
import { addRowsOfBatches } from "./audit-rankings.ts";
import { addUpBatches } from "./add-up.ts";
import { BatchCounts } from "./batch-counts.ts";
import type { Run } from "./batch-marks.ts";
import type { CellCounts } from "./cell-counts.ts";
import { repair } from "./repair.ts";

export interface FoldOptions {
  readonly domain: Recounted<Pick<Recount, "boards" | "rowsOfBatches">>;
  readonly database: Pick<Database, "snapshot" | "transaction" | "writer">;
  readonly rankings: Rankings;
  /** All batches of epochs up to this one are visible. */
  readonly until: number;
  /** Younger batches stay in the ledger, by the database's clock. */
  readonly keptMs: number;
  /** Nothing is folded before a batch is this old: each fold writes all counts of its stores again. */
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

const pageSize = 1000;
// About a minute, most of it for the rows. Wide rows are fewer, and so are batches that are read at once.
const batchesMax = 100_000;
const rowsMax = 1_000_000;
const countsMax = 5_000_000;
const countsOfPage = 500_000;
const giveUpAfterMs = 60_000;

/** The database or the rankings are not as the ledger says, so folding would hide it. */
class Unfoldable extends UnexpectedState {
  readonly code = "UNFOLDABLE";
}

/** Folds the batches that are old enough, some at a time (see folds.ts of the ledger). Ends early while a process
 * builds a generation, which needs the ledger since its snapshot. Throws Unfoldable for a batch that has no mark, or
 * other rows than its ledger entry says. Several processes may run it; it may be repeated. */
export async function fold({ domain, database, rankings, signal, ...range }: FoldOptions): Promise<void> {
  const { name } = domain;
  const now = await clockOf(database.writer);
  // One of the future is old: the clock was ahead.
  const isYoung = (forMs: number) => (batch: LedgerBatch) =>
    batch.storedAt > now - forMs && batch.storedAt <= now + range.keptMs;
  const [oldest] = await listBatches(database.writer, name, placeAt(0), range.until, 1);
  if (oldest === undefined || isYoung(range.waitMs)(oldest)) return;
  const options = { until: range.until, isYoung: isYoung(range.keptMs), signal };
  while (signal?.aborted !== true && !(await rankings.isBuilding(name))) {
    const step = await withUnmoved(database, "read", domain, async (snapshot) => {
      const asOf = await readFold(snapshot, name);
      return { ...(await nextStep(snapshot, domain, options)), asOf };
    });
    const folded = await readFold(database.writer, name);
    // Nothing is left, or the read endpoint lacks what was folded last.
    if (step.batches.length === 0 || step.asOf.batches < folded.batches) return;
    try {
      await database.transaction(
        async (one) => {
          await foldBatches(one, step);
          await note(rankings, name, step.batches, await readFold(one, name));
          if (await rankings.isBuilding(name)) throw new FoldedMeanwhile(`${name}: a generation is being built`);
        },
        { giveUpAfterMs, ...(signal && { signal }) },
      );
    } catch (error) {
      if (error instanceof FoldedMeanwhile) return;
      throw error;
    }
  }
}

/** Notes in Redis how many batches are folded, before the commit: a Redis with a lower number than the database has
 * lacks batches that are no longer in the ledger. The transaction holds the lock of foldBatches, so one process notes
 * at a time. Throws Unfoldable unless the batches are marked in the same Redis. */
async function note(
  rankings: FoldOptions["rankings"],
  domain: string,
  batches: readonly LedgerBatch[],
  folded: Fold,
): Promise<void> {
  const instance = await rankings.instance();
  if ((await rankings.folded(domain)) < folded.batches - batches.length)
    throw new Unfoldable(`${domain}: the rankings lack batches that are folded`);
  for (let at = 0; at < batches.length; at += pageSize) {
    const [unmarked] = await rankings.unmarked(domain, batches.slice(at, at + pageSize));
    if (unmarked !== undefined) throw new Unfoldable(`${domain}: batch ${textOfBatchId(unmarked)} is not ranked`);
  }
  await rankings.noteFolded(domain, folded.batches);
  if ((await rankings.instance()) !== instance) throw new Unfoldable(`${domain}: Redis was restarted meanwhile`);
}

/** Folds all batches that are stored by now, whatever their age. Waits for open transactions, a lagging read
 * endpoint, the end of a rebuild, and its beginning after lost commits; `onWait` is called each second then. */
export async function foldAll(options: Omit<FoldOptions, "until" | "keptMs" | "waitMs">, onWait: () => void) {
  const { domain, database, rankings } = options;
  const { newest } = await readEpochs(database.writer, domain.name);
  const range = { from: 0, until: newest.epoch };
  for (;;) {
    const epochs = await readEpochs(database.writer, domain.name);
    if (epochs.earlier.isOpen) await closeEarlier(database, domain.name, epochs);
    else if (epochs.closedTo < newest.epoch) {
      const { noted } = await rankings.inLedger(domain.name);
      // Later epochs would hide from the auditor that the database has lost commits.
      if (noted === undefined || isInHistory(epochs, noted)) await openEpoch(database, domain.name, epochs);
    } else {
      await repair({ domain: domain.name, reader: database.writer, rankings, ...range });
      await fold({ ...options, until: newest.epoch, keptMs: 0, waitMs: 0 });
      const left = await listBatches(database.writer, domain.name, placeAt(0), newest.epoch, 1);
      if (left.length === 0) return;
    }
    onWait();
    await delay(1000);
  }
}

interface StepOptions extends Pick<FoldOptions, "until">, Pick<ToFold, "signal"> {
  readonly isYoung: (batch: LedgerBatch) => boolean;
}

/** Old batches, and what their rows add. Throws Unfoldable unless they have as many rows as the ledger says. */
async function nextStep(
  snapshot: SqlSnapshot,
  { name: domain, recount }: FoldOptions["domain"],
  { until, isYoung, signal }: StepOptions,
): Promise<ToFold> {
  // Without it, counts are those of the rows of all batches, folded or not.
  const mirror = recount.boards.find((kind) => "mirrored" in kind);
  const [cells, rows] = [new Map<string, CellCounts>(), new BatchCounts()];
  const batches: LedgerBatch[] = [];
  for (let [size, counts] = [1, 0]; batches.length < batchesMax && rows.rows < rowsMax && counts < countsMax;) {
    const page = await listBatches(snapshot, domain, batches.at(-1) ?? placeAt(0), until, size);
    const young = page.findIndex(isYoung);
    const old = young === -1 ? page : page.slice(0, young);
    batches.push(...old);
    if (mirror !== undefined) await addUpBatches(snapshot, mirror, runsOf(old), { cells, batches: rows }, signal);
    if (old.length < size) break;
    const before = counts;
    counts = [...cells.values()].reduce((sum, one) => sum + one.size, 0);
    size = Math.ceil(Math.min(pageSize, size * Math.min(2, countsOfPage / (counts - before))));
  }
  if (mirror === undefined) return { domain, batches, counts: () => [], signal };
  if (rows.rows !== batches.reduce((sum, { changes }) => sum + changes, 0))
    await addRowsOfBatches(snapshot, recount, rows); // of months that an earlier release has removed
  for (const { changes, ...batch } of batches) {
    const own = rows.take(Buffer.from(batch.producer, "hex"), batch.sequence);
    if (own === changes) continue;
    throw new Unfoldable(`batch ${textOfBatchId(batch)} has ${own} rows, its ledger entry says ${changes}`);
  }
  const counts = function* ofMembers() {
    for (const [series, own] of cells)
      for (const { board: member, cells: ofMember } of own.byMember("")) yield { series, member, cells: ofMember };
  };
  return { domain, batches, counts, signal };
}

/** Those without gaps between them together. In the order of their sequences there are few. */
function* runsOf(batches: readonly LedgerBatch[]): Generator<Run> {
  let run: [producer: string, first: number, last: number] | undefined;
  for (const { producer, sequence } of batches) {
    if (run?.[0] === producer && run[2] === sequence - 1) {
      run[2] = sequence;
      continue;
    }
    if (run !== undefined) yield run;
    run = [producer, sequence, sequence];
  }
  if (run !== undefined) yield run;
}
