import { findMissing, foldedCounts, foldedSeries, rowsOfLedger } from "@tally/database";
import type { Fold, LedgerTotals, RemovedMonth } from "@tally/database";
import { textOfBatchId } from "@tally/contract";
import type { BatchId, Domain, Recount, SqlReader, SqlSnapshot } from "@tally/contract";
import type { Rankings } from "@tally/redis";
import type { Batches, RowsToRead } from "./add-up.ts";
import type { BatchCounts } from "./batch-counts.ts";
import { byOfCount, entriesOf } from "./cell-counts.ts";
import { Findings, type Found } from "./findings.ts";
import { FoldedSums } from "./folded-sums.ts";
import type { MeanwhileOptions } from "./meanwhile.ts";
import { readTables } from "./read-tables.ts";
import { BatchMarks, unset } from "./batch-marks.ts";
import { setTimeout as delay } from "node:timers/promises";

/** Compares the ledger with the rows and with the marks, batch by batch. */
export interface BatchAudit {
  /** Rows that were read, without those of folded batches, and changes of folded batches. */
  readonly stored: number;
  /** Changes of batches that are marked on every shard. */
  readonly ranked: number;
  /** Batches whose number of rows differs from their ledger entry. */
  readonly miscounted: Found<Miscounted>;
  /** Batches of the ledger without a mark. */
  readonly unmarked: Found<string>;
  /** Marks without a batch that is in the ledger or folded: the database has lost ranked batches. */
  readonly strayMarks: number;
  /** Folded batches without a mark on a shard. */
  readonly unmarkedFolded: number;
}

interface Miscounted {
  readonly batch: string;
  readonly ledger: number;
  readonly rows: number;
}

interface ToAudit extends Batches {
  readonly rows: BatchCounts;
  /** How many rows of folded batches were read. */
  readonly foldedRows: number;
  readonly wereRead: RowsToRead;
  readonly all: LedgerTotals;
  readonly fold: Fold;
  readonly removed: readonly RemovedMonth[];
  /** For an audit beside live traffic: what is stored and ranked meanwhile is no difference. */
  readonly live: Pick<MeanwhileOptions, "writer" | "staysMs"> | undefined;
}

const againAfterMs = 250;
const pageSize = 1000;

export async function auditBatches(
  snapshot: SqlSnapshot,
  domain: Domain,
  rankings: Rankings,
  { rows, foldedRows, wereRead, all, fold, removed, ledger, folded, live }: ToAudit,
  onProgress: (batches: number) => void,
): Promise<BatchAudit> {
  const unmarkedInShard = new BatchMarks();
  const foldedWithout: BatchId[] = [];
  let strayMarks = 0;
  // Each shard has the marks of all batches, so memory is for one at a time.
  for await (const marks of rankings.marks(domain.name)) {
    const stray = [...unset(marks, [ledger, folded])];
    strayMarks += live === undefined ? stray.length : await countMissing(live.writer, domain.name, stray);
    for (const { producer, sequence } of unset(ledger.all(), [marks]))
      unmarkedInShard.set(Buffer.from(producer, "hex"), sequence);
    for (const id of unset(folded.all(), [marks])) foldedWithout.push(id);
  }
  const miscounted = new Findings<Miscounted>();
  const lacking = new Map<BatchId, number>();
  let [stored, ranked, seen] = [fold.changes, fold.changes, 0];
  const { rows: inTables } = rows;
  // An earlier release has removed rows of batches that are not folded.
  if (wereRead === "all" || rows.rows !== all.changes - fold.changes)
    await addRowsOfBatches(snapshot, domain.recount, rows);
  for await (const batches of readTables(snapshot, [rowsOfLedger], [domain.name])) {
    for (const [producer, sequence, changes] of batches) {
      const id = { producer: Buffer.isBuffer(producer) ? producer.toString("hex") : "", sequence: Number(sequence) };
      const own = rows.take(producer, sequence);
      stored += own;
      if (own !== Number(changes)) miscounted.add({ batch: textOfBatchId(id), ledger: Number(changes), rows: own });
      if (unmarkedInShard.has(producer, sequence)) lacking.set(id, Number(changes));
      else ranked += Number(changes);
    }
    onProgress((seen += batches.length));
  }
  let rowsOfFolded = removed.reduce((sum, { events }) => sum + events, foldedRows + inTables - rows.rows);
  for (const [producer, sequence, own] of rows.rest()) {
    if (folded.has(Buffer.from(producer, "hex"), sequence)) {
      rowsOfFolded += own;
      continue;
    }
    stored += own;
    miscounted.add({ batch: textOfBatchId({ producer, sequence }), ledger: 0, rows: own });
  }
  if (wereRead === "all" && rowsOfFolded !== fold.changes)
    miscounted.add({ batch: "of all that are folded", ledger: fold.changes, rows: rowsOfFolded });
  const stillWithout = async (batches: readonly BatchId[]) =>
    live === undefined ? batches : stillUnmarked(rankings, domain.name, batches, live.staysMs);
  const unmarked = new Findings<string>();
  for (const id of await stillWithout([...lacking.keys()])) {
    unmarked.add(textOfBatchId(id));
    lacking.delete(id);
  }
  const { length: unmarkedFolded } = await stillWithout(foldedWithout);
  for (const changes of lacking.values()) ranked += changes;
  return { stored, ranked, miscounted, unmarked, strayMarks, unmarkedFolded };
}

/** Those of the batches that have no mark within a time: the ranker may be behind, or repair what it has missed. */
async function stillUnmarked(rankings: Rankings, domain: string, batches: readonly BatchId[], withinMs: number) {
  const deadline = performance.now() + withinMs;
  let left = batches;
  while (left.length > 0 && performance.now() < deadline) {
    await delay(againAfterMs);
    left = await rankings.unmarked(domain, left);
  }
  return left;
}

async function countMissing(reader: SqlReader, domain: string, batches: readonly BatchId[]): Promise<number> {
  let count = 0;
  for (let at = 0; at < batches.length; at += pageSize)
    count += (await findMissing(reader, domain, batches.slice(at, at + pageSize))).length;
  return count;
}

/** Adds the rows of batches that an earlier release has removed. */
export async function addRowsOfBatches(
  snapshot: SqlSnapshot,
  { rowsOfBatches }: Pick<Recount, "rowsOfBatches">,
  rows: BatchCounts,
): Promise<void> {
  if (rowsOfBatches === undefined) return;
  for await (const counts of snapshot.stream(rowsOfBatches))
    for (const [producer, sequence, count] of counts) rows.add(producer, sequence, Number(count));
}

/** Compares the folded counts with the rows of the folded batches, without the days of removed months. */
export async function auditFolded(
  snapshot: SqlSnapshot,
  domain: string,
  { rows, removed }: { readonly rows: FoldedSums; readonly removed: readonly Pick<RemovedMonth, "month">[] },
  found: Findings<string>,
  onProgress: (members: number) => void,
): Promise<void> {
  const folded = new FoldedSums();
  let seen = 0;
  const names = await foldedSeries(snapshot, domain);
  for (const series of names)
    for await (const parts of readTables(snapshot, [foldedCounts], [domain, series])) {
      for (const [member, text] of parts) folded.add(series, member, entriesOf(text), byOfCount);
      onProgress((seen += parts.length));
    }
  const months = removed.map(({ month }) => month.replace("-", ""));
  // What was removed before there were folded counts is in those of all time alone. A later correction has its row.
  const hasDays = (month: string, at: number) =>
    names.some(
      (series) =>
        series > `${months[at - 1] ?? 0}99` && series < `${month}99` && rows.differences(series, folded).length > 0,
    );
  const isComplete = months.every(hasDays);
  for (const sums of [rows, folded]) sums.leaveOut(Number(`${months.at(-1) ?? 0}99`));
  const compared = new Set([...rows.series, ...folded.series]);
  if (!isComplete) compared.delete("");
  for (const series of compared)
    for (const member of rows.differences(series, folded))
      found.add(`the folded counts of ${series === "" ? "" : `${series}/`}${member} differ from its rows`);
}
