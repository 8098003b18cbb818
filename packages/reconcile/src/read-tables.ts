import type { RowRanges, SqlSnapshot, SqlValue } from "@tally/contract";

export type Rows = readonly (readonly unknown[])[];

// Far below the limits of servers and proxies on the time of a statement.
const aimMs = 1000;

/** How much the next statement reads after one that read `size`, so that it takes about a second. */
export const nextSize = (size: number, max: number, startedAt: number): number =>
  Math.ceil(Math.min(max, size * Math.min(2, aimMs / (performance.now() - startedAt))));

/** In the order in which tables are read: a table by its index, and a value of its column. */
export interface Place {
  readonly table: number;
  readonly value: SqlValue;
}

/** All rows of tables, range by range. `values`: of the `?` before those of the range. `onRange`: rows of the tables so
 * far, at least; awaited, when all rows up to a place were taken. `after`: leaves those out. */
export async function* readTables(
  snapshot: SqlSnapshot,
  tables: readonly RowRanges[],
  values: readonly SqlValue[] = [],
  onRange?: (rows: number, place: Place) => unknown,
  after?: Place,
): AsyncGenerator<Rows> {
  let seen = 0;
  for (const [table, { select, selectEnd, bounds, first = 20_000 }] of tables.entries()) {
    if (table < (after?.table ?? 0)) continue;
    let size = first;
    for (let from: SqlValue | undefined = table === after?.table ? after.value : bounds[0]; from !== undefined;) {
      const startedAt = performance.now();
      const [end]: readonly { value: SqlValue }[] = await snapshot.query(selectEnd, [...values, from, size - 1]);
      yield* snapshot.stream(select, [...values, from, end?.value ?? bounds[1]]);
      from = end?.value;
      if (from !== undefined) await onRange?.((seen += size), { table, value: from });
      size = nextSize(size, 500_000, startedAt);
    }
  }
}
