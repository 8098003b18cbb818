import type { SqlValue } from "./sql.ts";

/** The rows of one table, read range by range in the order of a column, so that no statement takes long. */
export interface RowRanges {
  /** The rows with a value above the first `?` and up to the second. */
  readonly select: string;
  /** (value): that of the row above the first `?`, at the offset of the second. */
  readonly selectEnd: string;
  /** Below all values, and the largest possible one. */
  readonly bounds: readonly [SqlValue, SqlValue];
  /** Rows of the first range, for which a second must be enough; default: 20,000. */
  readonly first?: number;
}

/** The rows of a table with a condition, whose `?` come first, in the order of a key. */
export function rangesOf(
  columns: string,
  table: string,
  key: string,
  bounds: RowRanges["bounds"],
  condition = "TRUE",
): RowRanges {
  const selectEnd = `SELECT ${key} AS value FROM ${table} WHERE ${condition} AND ${key} > ? ORDER BY ${key} LIMIT 1 OFFSET ?`;
  return {
    select: `SELECT ${columns} FROM ${table} WHERE ${condition} AND ${key} > ? AND ${key} <= ?`,
    selectEnd,
    bounds,
  };
}

/** The rows of a table of events by their ids. By the primary key: another plan would sort, or read the table again for
 * each range. */
export function rangesOfIds(columns: string, table: string, condition?: string): RowRanges {
  return rangesOf(columns, `${table} FORCE INDEX (PRIMARY)`, "id", eventIds, condition);
}

/** Of 16 bytes. */
export const eventIds: RowRanges["bounds"] = [Buffer.alloc(0), Buffer.alloc(16, 0xff)];
/** Integers from 0 on. */
export const naturals: RowRanges["bounds"] = [-1, Number.MAX_SAFE_INTEGER];
