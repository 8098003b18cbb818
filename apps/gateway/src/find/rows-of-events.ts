import type { KeyedRead, Lookup } from "@tally/pipeline";

/** What is looked up, by the 16 bytes of an event's id; undefined where there are no rows. */
export type RowsOfEvents<T> = KeyedRead<readonly [Buffer], T | undefined>;

/** A look-up as a read by keys. */
export function rowsOfEvents<T>({ select, idsMax, ofRows }: Lookup<T>): RowsOfEvents<T> {
  return { select, key: ["id"], keysMax: idsMax, ofRows: (rows) => (rows.length === 0 ? undefined : ofRows(rows)) };
}
