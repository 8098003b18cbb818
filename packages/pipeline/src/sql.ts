/** A value as a statement takes it. */
export type SqlValue = string | number | bigint | Buffer | Date | null;

/** Where SQL may be read from. Values are escaped by the driver; statements are literal. */
export interface SqlReader {
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Inside one transaction on the write endpoint. */
export interface SqlTransaction extends SqlReader {
  /**
   * One multi-row statement, "INSERT INTO t (a, b) VALUES ?". "duplicate": a unique key exists already, and none of the
   * rows was inserted; the transaction goes on.
   */
  insert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<"inserted" | "duplicate">;
  /**
   * Likewise "INSERT INTO t (a, b) VALUES ? ON DUPLICATE KEY UPDATE …". Answers the sum over all rows: 1 for each that is new, 2 for each
   * that was changed, 0 for each that stays as it is. Each is locked then, the last too.
   */
  upsert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<number>;
  /** Any other statement. Answers how many rows it changed. */
  execute(sql: string, values?: readonly unknown[]): Promise<number>;
}
