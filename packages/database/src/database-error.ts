/** What a caller can do about a DatabaseError; see the catalogue below. */
export type DatabaseErrorKind = "data" | "retry" | "unavailable" | "statement";

/** Every code this package throws, and its kind. */
const kinds = {
  /** The server refuses a value (out of range, too long, duplicate, null, ...): the same rows will never pass. */
  DATABASE_DATA: "data",
  /** Deadlock or lock wait: rolled back, the same transaction may pass now. */
  DATABASE_CONFLICT: "retry",
  /** No connection, connection lost, server read-only, full or stopping. What ran last may or may not have happened. */
  DATABASE_UNAVAILABLE: "unavailable",
  /** No answer in time; the connection was destroyed. What ran last may or may not have happened. */
  DATABASE_TIMEOUT: "unavailable",
  /** The caller's signal ended the retries. */
  DATABASE_ABORTED: "unavailable",
  /** close() was called. */
  DATABASE_CLOSED: "unavailable",
  /** The SQL itself is wrong: syntax, unknown table, missing privilege. */
  DATABASE_STATEMENT: "statement",
  /** A migration was changed after it was applied, or failed. */
  DATABASE_MIGRATION: "statement",
  /** A destructive helper was pointed at a database that is not for tests. */
  DATABASE_NOT_FOR_TESTS: "statement",
} as const satisfies Record<string, DatabaseErrorKind>;

export type DatabaseErrorCode = keyof typeof kinds;

/** The only error this package throws. `errno` is the server's number where the server said one; `cause` the driver's error. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly code: DatabaseErrorCode;
  readonly kind: DatabaseErrorKind;
  readonly errno: number | undefined;

  constructor(
    code: DatabaseErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly errno?: number } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.kind = kinds[code];
    this.errno = options.errno;
  }
}
