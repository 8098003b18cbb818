import type { CountedRows, MirroredBoards, Recount, SqlSnapshot, SqlValue } from "@tally/contract";
import { BatchCounts } from "./batch-counts.ts";
import { CellCounts } from "./cell-counts.ts";

/** What the rows of a domain's mirrored boards add up to. */
export interface Sums {
  readonly cells: ReadonlyMap<MirroredBoards, CellCounts>;
  /** The rows of each batch. */
  readonly batches: BatchCounts;
}

/** Reads the rows of all mirrored boards once. One pass gives the boards of members, those of keys, and the batches.
 * `onProgress`: rows so far. */
export async function addUp(
  snapshot: SqlSnapshot,
  boards: Recount["boards"],
  onProgress: (rows: number) => void,
): Promise<Sums> {
  const batches = new BatchCounts();
  const cells = new Map<MirroredBoards, CellCounts>();
  let seen = 0;
  for (const kind of boards) {
    if (!("mirrored" in kind)) continue;
    const counts = new CellCounts();
    cells.set(kind.mirrored, counts);
    for (const table of kind.rows) {
      for await (const rows of readRanges(snapshot, table)) {
        for (const [member, texts, producer, sequence] of rows) {
          counts.add(member, JSON.parse(String(texts)));
          if (producer !== null) batches.add(producer, sequence, 1);
        }
        onProgress((seen += rows.length));
      }
    }
  }
  return { cells, batches };
}

const firstRows = 20_000;
const rowsMax = 500_000;
// Far below the limits of servers and proxies on the time of a statement.
const aimMs = 1000;

/** The rows in chunks. Each statement reads a range of about a second: its number of rows follows the previous one. */
async function* readRanges(
  snapshot: SqlSnapshot,
  { select, selectEnd, bounds: [below, last] }: CountedRows,
): AsyncGenerator<readonly (readonly unknown[])[]> {
  let rows = firstRows;
  for (let from = below; ;) {
    const startedAt = performance.now();
    const [end] = await snapshot.query<{ readonly value: SqlValue }>(selectEnd, [from, rows - 1]);
    yield* snapshot.stream(select, [from, end?.value ?? last]);
    if (end === undefined) return;
    from = end.value;
    const change = aimMs / (performance.now() - startedAt);
    rows = Math.ceil(Math.min(rowsMax, rows * Math.min(2, change)));
  }
}
