/** A value of one column. Dates are written in UTC; integers beyond 2^53 need a bigint. */
export type SqlValue = string | number | bigint | Buffer | Date | null;

/** A value for one `?`. A list fills `IN (?)`; a list of lists fills `(a, b) IN (?)` or `VALUES ?`. */
export type SqlParameter = SqlValue | boolean | readonly SqlParameter[];

/** Reads rows. Statements are literal; the driver escapes values. */
export interface SqlReader {
  /** `Row` is the caller's claim about its columns. DATE arrives as 'YYYY-MM-DD', DATETIME and TIMESTAMP as Date (UTC),
   * BINARY as Buffer, BIGINT as number or, beyond 2^53, as string, DECIMAL (also SUM over integers) as string. Throws
   * DatabaseError. */
  query<Row extends object>(sql: string, values?: readonly SqlParameter[]): Promise<readonly Row[]>;
}

/** One consistent snapshot: every read sees the same moment. */
export interface SqlSnapshot extends SqlReader {
  /** The rows of one SELECT in chunks, each row an array of its columns. Read it to its end; one stream at a time. */
  stream(sql: string, values?: readonly SqlParameter[]): AsyncIterable<readonly (readonly unknown[])[]>;
}

export interface SqlTransaction extends SqlReader {
  /** "INSERT INTO t (a, b) VALUES ?" for any number of rows. "duplicate": a unique key exists and no row was inserted;
   * the transaction continues. Other errors throw DatabaseError and insert no row either. */
  insert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<"inserted" | "duplicate">;
  /** "INSERT INTO t (a, b) VALUES ? ON DUPLICATE KEY UPDATE …". Returns the sum of 1 for each new row, 2 for each
   * changed row, 0 for each unchanged row. All of them are locked then, the unchanged too. */
  upsert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<number>;
  /** Any other statement. Returns how many rows it changed; a row set to its old values does not count. */
  execute(sql: string, values?: readonly SqlParameter[]): Promise<number>;
}
