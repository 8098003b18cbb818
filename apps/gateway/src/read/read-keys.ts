import type { KeyedRead, ReadKey, SqlReader } from "@tally/contract";

/** A key as text. Equal keys have equal names, in any representation of their columns. */
export function nameOfKey(key: readonly unknown[]): string {
  // Most keys have one column, and JSON costs more than all other work here.
  return key.length === 1 ? textOf(key[0]) : JSON.stringify(key.map(textOf));
}

/** The rows of some keys, by the names of the keys; without keys that have no rows. One statement. */
export async function readKeys<K extends ReadKey>(
  reader: SqlReader,
  { select, key: columns }: KeyedRead<K, unknown>,
  keys: readonly K[],
): Promise<ReadonlyMap<string, readonly object[]>> {
  const rows = await reader.query<Record<string, unknown>>(select, [keys]);
  return Map.groupBy(rows, (row) => nameOfKey(columns.map((column) => row[column])));
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("hex") : String(value);
}
