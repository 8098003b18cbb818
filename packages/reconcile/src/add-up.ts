import { foldedCounts, foldedMarks, rowsOfLedger, type LedgerTotals } from "@tally/database";
import type { MirroredBoards, Recount, RecountedMirror, RowRanges, SqlSnapshot, SqlValue } from "@tally/contract";
import { BatchCounts } from "./batch-counts.ts";
import { CellCounts } from "./cell-counts.ts";
import { BatchMarks } from "./recount.ts";

/** What the counts of a domain's mirrored boards add up to. */
export interface Sums {
  readonly cells: ReadonlyMap<MirroredBoards, CellCounts>;
  /** The rows of each batch that were read. */
  readonly batches: BatchCounts;
  /** The rows of all folded batches; empty unless all rows were read. */
  readonly foldedRows: CellCounts;
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

/** Adds the folded counts and the rows of all other batches. `onProgress`: rows so far. */
export async function addUp(
  snapshot: SqlSnapshot,
  { name, boards }: { readonly name: string; readonly boards: Recount["boards"] },
  known: Batches,
  toRead: RowsToRead,
  onProgress: (rows: number) => void,
): Promise<Sums> {
  const sums = {
    cells: new Map<MirroredBoards, CellCounts>(),
    batches: new BatchCounts(),
    foldedRows: new CellCounts(),
  };
  for (const kind of boards) {
    if (!("mirrored" in kind)) continue;
    const counts = new CellCounts();
    sums.cells.set(kind.mirrored, counts);
    for await (const rows of readTables(snapshot, [foldedCounts], [name]))
      for (const [member, texts] of rows) counts.add(member, JSON.parse(String(texts)));
    const chunks =
      toRead === "all" ? readTables(snapshot, kind.rows) : readRuns(snapshot, kind.rowsOfBatches, known.ledger);
    let seen = 0;
    for await (const rows of chunks) {
      addRows(rows, known.folded, { ...sums, counts });
      onProgress((seen += rows.length));
    }
  }
  return sums;
}

/** The rows of some batches that are not folded. */
export async function addUpBatches(
  snapshot: SqlSnapshot,
  { rowsOfBatches }: Pick<RecountedMirror, "rowsOfBatches">,
  some: BatchMarks,
  signal: AbortSignal | undefined,
): Promise<{ readonly counts: CellCounts; readonly batches: BatchCounts }> {
  const sums = { counts: new CellCounts(), batches: new BatchCounts(), foldedRows: new CellCounts() };
  for await (const rows of readRuns(snapshot, rowsOfBatches, some)) {
    signal?.throwIfAborted();
    addRows(rows, new BatchMarks(), sums);
  }
  return sums;
}

function addRows(
  rows: Rows,
  folded: BatchMarks,
  { counts, foldedRows, batches }: Pick<Sums, "batches" | "foldedRows"> & { readonly counts: CellCounts },
): void {
  for (const [member, texts, producer, sequence] of rows) {
    // A row without a batch is of the base, which the folded counts contain.
    const isFolded = producer === null || folded.has(producer, sequence);
    (isFolded ? foldedRows : counts).add(member, JSON.parse(String(texts)));
    if (producer !== null) batches.add(producer, sequence, 1);
  }
}

type Rows = readonly (readonly unknown[])[];

// Far below the limits of servers and proxies on the time of a statement.
const aimMs = 1000;

/** How much the next statement reads, so that it takes about a second. */
class Pace {
  readonly #max: number;
  size: number;

  constructor(first: number, max: number) {
    this.size = first;
    this.#max = max;
  }

  follow(startedAt: number): void {
    const change = aimMs / (performance.now() - startedAt);
    this.size = Math.ceil(Math.min(this.#max, this.size * Math.min(2, change)));
  }
}

/** All rows of tables, range by range. `values`: of the `?` before those of the range. */
export async function* readTables(
  snapshot: SqlSnapshot,
  tables: readonly RowRanges[],
  values: readonly SqlValue[] = [],
): AsyncGenerator<Rows> {
  for (const { select, selectEnd, bounds, first = 20_000 } of tables) {
    const rows = new Pace(first, 500_000);
    for (let from: SqlValue | undefined = bounds[0]; from !== undefined;) {
      const startedAt = performance.now();
      const [end]: readonly { value: SqlValue }[] = await snapshot.query(selectEnd, [...values, from, rows.size - 1]);
      yield* snapshot.stream(select, [...values, from, end?.value ?? bounds[1]]);
      from = end?.value;
      rows.follow(startedAt);
    }
  }
}

/** The rows of batches, for some consecutive ones at a time. */
async function* readRuns(snapshot: SqlSnapshot, selects: readonly string[], marks: BatchMarks): AsyncGenerator<Rows> {
  const batches = new Pace(50, 10_000);
  for (const [producer, first, last] of marks.runs()) {
    for (let from = first; from <= last;) {
      const startedAt = performance.now();
      const to = Math.min(last, from + batches.size - 1);
      for (const select of selects) yield* snapshot.stream(select, [Buffer.from(producer, "hex"), from, to]);
      if (to - from + 1 === batches.size) batches.follow(startedAt);
      from = to + 1;
    }
  }
}
