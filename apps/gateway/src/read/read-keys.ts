import type { KeyedRead, ReadKey, SqlReader } from "@tally/pipeline";

/** A key as text: the same for the same key, however its columns arrive. */
export function nameOfKey(key: readonly unknown[]): string {
  // Most have one column, and JSON costs more than all the rest.
  return key.length === 1 ? textOf(key[0]) : JSON.stringify(key.map(textOf));
}

/** All rows of some keys by the names of these; without those that have none. One statement. */
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
