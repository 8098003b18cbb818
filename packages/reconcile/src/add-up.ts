import { foldedCounts, foldedMarks, foldedSeries, rowsOfLedger, type LedgerTotals } from "@tally/database";
import { isKept, type KeptSeries, type Recount, type RecountedMirror } from "@tally/contract";
import type { RowRanges, SqlSnapshot, SqlValue } from "@tally/contract";
import { BatchCounts } from "./batch-counts.ts";
import { byOfCount, CellCounts, entriesOf } from "./cell-counts.ts";
import { FoldedSums } from "./folded-sums.ts";
import { BatchMarks } from "./recount.ts";

/** What the counts of a domain's mirrored boards add up to. */
export interface Sums {
  /** By series. */
  readonly cells: ReadonlyMap<string, CellCounts>;
  /** The rows of each batch that were read. */
  readonly batches: BatchCounts;
  /** The rows of all folded batches, in all series; empty unless all rows were read. */
  readonly foldedRows: FoldedSums;
}

/** The batches of a domain, by where their counts are. */
export interface Batches {
  readonly ledger: BatchMarks;
  readonly folded: BatchMarks;
}

/** `new`: the rows of batches in the ledger, by their index. `all`: also those of folded batches, in the order of the
 * table: cheaper for more than a third of the rows. */
export type RowsToRead = "new" | "all";

export function rowsToRead(all: LedgerTotals, fold: LedgerTotals): RowsToRead {
  return (all.changes - fold.changes) * 3 < all.changes ? "new" : "all";
}

/** In memory, a bit for each batch. */
export async function readBatches(snapshot: SqlSnapshot, domain: string): Promise<Batches> {
  const [ledger, folded] = [new BatchMarks(), new BatchMarks()];
  for await (const rows of readTables(snapshot, [rowsOfLedger], [domain]))
    for (const [producer, sequence] of rows) ledger.set(producer, sequence);
  for await (const rows of readTables(snapshot, [foldedMarks], [domain]))
    for (const [producer, from, marks] of rows) folded.addAt(producer, Number(from), marks);
  return { ledger, folded };
}

/** Adds the folded counts and the rows of all other batches, in the series that are kept. `onProgress`: rows so far. */
export async function addUp(
  snapshot: SqlSnapshot,
  { name, boards }: { readonly name: string; readonly boards: Recount["boards"] },
  { ledger, folded, kept }: Batches & { readonly kept: KeptSeries },
  toRead: RowsToRead,
  onProgress: (rows: number) => void,
): Promise<Sums> {
  const sums = { cells: seriesCounts((series) => isKept(series, kept)), batches: new BatchCounts() };
  const foldedRows = new FoldedSums();
  for (const kind of boards) {
    if (!("mirrored" in kind)) continue;
    for (const series of await foldedSeries(snapshot, name)) {
      const counts = sums.cells.of(series);
      if (counts === undefined) continue;
      for await (const rows of readTables(snapshot, [foldedCounts], [name, series]))
        for (const [member, text] of rows) counts.add(member, entriesOf(text), byOfCount);
    }
    const chunks = toRead === "all" ? readTables(snapshot, kind.rows) : readRuns(snapshot, kind.rowsOfBatches, ledger);
    let seen = 0;
    for await (const rows of chunks) {
      addRows(rows, kind, sums, { batches: folded, sums: foldedRows });
      onProgress((seen += rows.length));
    }
  }
  return { cells: sums.cells.all(), batches: sums.batches, foldedRows };
}

/** The rows of some batches that are not folded, in all series. */
export async function addUpBatches(
  snapshot: SqlSnapshot,
  mirror: Pick<RecountedMirror, "rowsOfBatches" | "seriesOf">,
  some: BatchMarks,
  signal: AbortSignal | undefined,
): Promise<Omit<Sums, "foldedRows">> {
  const sums = { cells: seriesCounts(() => true), batches: new BatchCounts() };
  for await (const rows of readRuns(snapshot, mirror.rowsOfBatches, some)) {
    signal?.throwIfAborted();
    addRows(rows, mirror, sums);
  }
  return { cells: sums.cells.all(), batches: sums.batches };
}

/** The counts of the wanted series. */
function seriesCounts(isWanted: (series: string) => boolean) {
  const found = new Map<string, CellCounts | undefined>();
  const countsOf = (series: string) => (isWanted(series) ? new CellCounts() : undefined);
  return {
    /** Undefined: not wanted. */
    of: (series: string) => found.getOrInsertComputed(series, countsOf),
    all: () =>
      new Map([...found].flatMap(([series, counts]) => (counts === undefined ? [] : [[series, counts] as const]))),
  };
}

function addRows(
  rows: Rows,
  { seriesOf }: Pick<RecountedMirror, "seriesOf">,
  { cells, batches }: { readonly cells: ReturnType<typeof seriesCounts>; readonly batches: BatchCounts },
  folded?: { readonly batches: BatchMarks; readonly sums: FoldedSums },
): void {
  for (const [member, text, producer, sequence, day] of rows) {
    const entries = entriesOf(text);
    // A row without a batch is of the base, which the folded counts contain.
    const isFolded = folded !== undefined && (producer === null || folded.batches.has(producer, sequence));
    for (const { name, by } of seriesOf(day === null ? null : Number(day))) {
      if (isFolded) folded.sums.add(name, member, entries, by);
      else cells.of(name)?.add(member, entries, by);
    }
    if (producer !== null) batches.add(producer, sequence, 1);
  }
}

type Rows = readonly (readonly unknown[])[];

// Far below the limits of servers and proxies on the time of a statement.
const aimMs = 1000;

/** How much the next statement reads after one that read `size`, so that it takes about a second. */
const nextSize = (size: number, max: number, startedAt: number): number =>
  Math.ceil(Math.min(max, size * Math.min(2, aimMs / (performance.now() - startedAt))));

/** All rows of tables, range by range. `values`: of the `?` before those of the range. */
export async function* readTables(
  snapshot: SqlSnapshot,
  tables: readonly RowRanges[],
  values: readonly SqlValue[] = [],
): AsyncGenerator<Rows> {
  for (const { select, selectEnd, bounds, first = 20_000 } of tables) {
    let size = first;
    for (let from: SqlValue | undefined = bounds[0]; from !== undefined;) {
      const startedAt = performance.now();
      const [end]: readonly { value: SqlValue }[] = await snapshot.query(selectEnd, [...values, from, size - 1]);
      yield* snapshot.stream(select, [...values, from, end?.value ?? bounds[1]]);
      from = end?.value;
      size = nextSize(size, 500_000, startedAt);
    }
  }
}

/** The rows of batches, for some consecutive ones at a time. */
async function* readRuns(snapshot: SqlSnapshot, selects: readonly string[], marks: BatchMarks): AsyncGenerator<Rows> {
  let size = 50;
  for (const [producer, first, last] of marks.runs()) {
    for (let from = first; from <= last;) {
      const startedAt = performance.now();
      const to = Math.min(last, from + size - 1);
      for (const select of selects) yield* snapshot.stream(select, [Buffer.from(producer, "hex"), from, to]);
      if (to - from + 1 === size) size = nextSize(size, 10_000, startedAt);
      from = to + 1;
    }
  }
}
