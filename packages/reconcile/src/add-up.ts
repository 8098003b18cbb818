import { foldedMarks, rowsOfLedger, type Fold, type LedgerTotals } from "@tally/database";
import type { KeptSeries, Recount, RecountedMirror, SqlSnapshot } from "@tally/contract";
import { BatchCounts } from "./batch-counts.ts";
import { BoardCounts, CellCounts, entriesOf } from "./cell-counts.ts";
import { FoldedRows } from "./folded-rows.ts";
import { nextSize, type Place, readTables, type Rows } from "./read-tables.ts";
import { BatchMarks, type Run } from "./batch-marks.ts";
import { SeriesCounts } from "./series-counts.ts";

/** What the rows of a domain add up to. */
export interface Sums {
  /** Of boards that are not mirrored. */
  readonly boards: BoardCounts;
  /** Of mirrored boards, without what is folded. */
  readonly series: SeriesCounts;
  /** The rows of each batch that were read, without folded ones. */
  readonly batches: BatchCounts;
}

type ToAdd = (row: Rows[number]) => boolean;

/** The batches of a domain, by where their counts are. */
export interface Batches {
  readonly ledger: BatchMarks;
  readonly folded: BatchMarks;
}

/** `new`: the rows of batches in the ledger, by their index. `all`: also those of folded batches, in the order of the
 * table: cheaper for more than a third of the rows. Required without mirrored boards: only their counts are folded. */
export type RowsToRead = "new" | "all";

export function rowsToRead({ boards }: Pick<Recount, "boards">, all: LedgerTotals, fold: LedgerTotals): RowsToRead {
  return hasMirrored({ boards }) && (all.changes - fold.changes) * 3 < all.changes ? "new" : "all";
}

/** Whether a domain has mirrored boards: only their counts are folded. */
export function hasMirrored({ boards }: Pick<Recount, "boards">): boolean {
  return boards.some((kind) => "mirrored" in kind);
}

/** In memory, a bit for each batch. `totals`: of all batches, folded ones too. `onProgress`: batches of the ledger so far. */
export async function readBatches(
  snapshot: SqlSnapshot,
  domain: string,
  fold: Fold,
  onProgress: (batches: number) => void,
): Promise<Batches & { readonly totals: LedgerTotals }> {
  const [ledger, folded] = [new BatchMarks(), new BatchMarks()];
  const { epoch: _, ...totals }: Record<keyof Fold, number> = fold;
  for await (const rows of readTables(snapshot, [rowsOfLedger], [domain], onProgress))
    for (const [producer, sequence, changes, events, refused, storedAt] of rows) {
      ledger.set(producer, sequence);
      totals.batches++;
      totals.events += Number(events);
      totals.changes += Number(changes);
      totals.refused += Number(refused);
      totals.newest = Math.max(totals.newest, Number(storedAt));
    }
  for await (const rows of readTables(snapshot, [foldedMarks], [domain]))
    for (const [producer, from, marks] of rows) folded.addAt(producer, Number(from), marks);
  return { ledger, folded, totals };
}

/** Adds up the rows in the series that are kept. If all rows are read, it adds those of folded batches to `foldedRows`,
 * which may have some of them from an earlier audit. `onProgress`: rows of batches so far. */
export async function addUp(
  snapshot: SqlSnapshot,
  { boards }: Pick<Recount, "boards">,
  { ledger, folded, kept }: Batches & { readonly kept: KeptSeries },
  toRead: RowsToRead,
  onProgress: (rows: number) => void,
  foldedRows = new FoldedRows({ domain: "", steps: "", ledger, folded }),
): Promise<Sums> {
  const sums = { boards: new BoardCounts(), series: new SeriesCounts(kept), batches: new BatchCounts() };
  for (const kind of boards) {
    if (!("mirrored" in kind)) {
      for await (const rows of readTables(snapshot, kind.rows)) {
        addToBoards(rows, sums);
        onProgress(sums.batches.rows);
      }
      continue;
    }
    const add = async (chunks: AsyncIterable<Rows>, toAdd?: ToAdd) => {
      for await (const rows of chunks) {
        addToSeries(toAdd === undefined ? rows : rows.filter(toAdd), kind, sums, { batches: folded, rows: foldedRows });
        onProgress(sums.batches.rows + foldedRows.rows);
      }
    };
    const byIndex = (batches: BatchMarks) => add(readRuns(snapshot, kind.rowsOfBatches, batches.runs()));
    if (toRead === "all") {
      const reached = (_: number, place: Place) => foldedRows.reached(place);
      const tables = readTables(snapshot, kind.rows, [], reached, foldedRows.place);
      const takes: ToAdd = ([, , producer, sequence]) => foldedRows.takes(producer, sequence);
      await add(tables, foldedRows.kept && takes);
      if (foldedRows.place === undefined) continue;
      await byIndex(foldedRows.later);
    }
    await byIndex(ledger);
  }
  return sums;
}

/** Adds the rows of some batches that are not folded, in all series. */
export async function addUpBatches(
  snapshot: SqlSnapshot,
  mirror: Pick<RecountedMirror, "rowsOfBatches" | "seriesOf">,
  runs: Iterable<Run>,
  { cells, batches }: { readonly cells: Map<string, CellCounts>; readonly batches: BatchCounts },
  signal: AbortSignal | undefined,
): Promise<void> {
  const series: Pick<SeriesCounts, "add"> = {
    add(member, entries, all) {
      for (const { name, by } of all) cells.getOrInsertComputed(name, noCounts).add(member, entries, by);
    },
  };
  for await (const rows of readRuns(snapshot, mirror.rowsOfBatches, runs)) {
    signal?.throwIfAborted();
    addToSeries(rows, mirror, { series, batches });
  }
}

const noCounts = () => new CellCounts();

function addToBoards(rows: Rows, { boards, batches }: Pick<Sums, "boards" | "batches">): void {
  for (const [board, member, by, producer, sequence] of rows) {
    if (board !== null && member !== null) boards.add(board, member, by);
    if (producer !== null) batches.add(producer, sequence, 1);
  }
}

function addToSeries(
  rows: Rows,
  { seriesOf }: Pick<RecountedMirror, "seriesOf">,
  { series, batches }: { readonly series: Pick<SeriesCounts, "add">; readonly batches: BatchCounts },
  folded?: { readonly batches: BatchMarks; readonly rows: FoldedRows },
): void {
  for (const [member, text, producer, sequence, day] of rows) {
    const [entries, all] = [entriesOf(text), seriesOf(Number(day))];
    if (folded?.batches.has(producer, sequence) === true) folded.rows.add(member, entries, all);
    else {
      series.add(member, entries, all);
      batches.add(producer, sequence, 1);
    }
  }
}

/** The rows of batches, for some consecutive ones at a time. */
async function* readRuns(snapshot: SqlSnapshot, selects: readonly string[], runs: Iterable<Run>): AsyncGenerator<Rows> {
  let size = 50;
  for (const [producer, first, last] of runs) {
    for (let from = first; from <= last;) {
      const startedAt = performance.now();
      const to = Math.min(last, from + size - 1);
      for (const select of selects) yield* snapshot.stream(select, [Buffer.from(producer, "hex"), from, to]);
      if (to - from + 1 === size) size = nextSize(size, 10_000, startedAt);
      from = to + 1;
    }
  }
}
