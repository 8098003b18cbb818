/** A value of one column. Dates are written in UTC; integers beyond 2^53 need a bigint. */
export type SqlValue = string | number | bigint | Buffer | Date | null;

/** A value for one `?`. A list fills `IN (?)`; a list of lists fills `(a, b) IN (?)` or `VALUES ?`. */
export type SqlParameter = SqlValue | boolean | readonly SqlParameter[];

/** Where SQL may be read from. */
export interface SqlReader {
  /**
   * Rows of one SELECT; `Row` is the caller's word about its own columns.
   * DATE arrives as 'YYYY-MM-DD', DATETIME and TIMESTAMP as Date (UTC), BINARY as Buffer, BIGINT as number or, beyond 2^53, as string,
   * DECIMAL (which SUM over integers is, too) as string. Throws DatabaseError.
   */
  query<Row extends object>(sql: string, values?: readonly SqlParameter[]): Promise<readonly Row[]>;
}

/** Inside one consistent snapshot: every read sees the same moment. */
export interface SqlSnapshot extends SqlReader {
  /** The rows of one SELECT as they come, each an array of its columns, in chunks. Read it to its end, one at a time. */
  stream(sql: string, values?: readonly SqlParameter[]): AsyncIterable<readonly (readonly unknown[])[]>;
}

/** Inside one transaction on the write endpoint. */
export interface SqlTransaction extends SqlReader {
  /**
   * One "INSERT INTO t (a, b) VALUES ?" for any number of rows. "duplicate": a unique key exists already and none of the rows was inserted;
   * the transaction goes on. Other refusals throw DatabaseError and insert none of the rows either.
   */
  insert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<"inserted" | "duplicate">;
  /**
   * Likewise "INSERT INTO t (a, b) VALUES ? ON DUPLICATE KEY UPDATE …". Returns the sum over all rows: 1 for each that is new, 2 for each
   * that was changed, 0 for each that stays as it is. Each is locked then, the last too.
   */
  upsert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<number>;
  /** Any other statement. Returns how many rows it changed; a row set to what it already was does not count. */
  execute(sql: string, values?: readonly SqlParameter[]): Promise<number>;
}
