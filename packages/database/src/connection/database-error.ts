import { CataloguedError, type CatalogueEntry, type FailureClass } from "@tally/runtime";

/** What a caller can do: reject the rows, repeat (twice), or correct the code or the configuration. */
type DatabaseErrorKind = "data" | "retry" | "unavailable" | "statement";

/** Every error of this package. docs/errors.md is made of it. */
export const databaseErrors = {
  DATABASE_DATA: {
    kind: "data",
    message: "the database rejects a value",
    when: "a value is out of range, too long, null, a duplicate or too large: the same rows never succeed",
  },
  DATABASE_CONFLICT: {
    kind: "retry",
    message: "deadlock or lock timeout",
    when: "the transaction was rolled back; it may succeed when it is repeated",
  },
  DATABASE_UNAVAILABLE: {
    kind: "unavailable",
    message: "the database is unavailable",
    when: "no connection, a lost connection, or a server that is read-only, full or stopping; the last statement may have run",
  },
  DATABASE_TIMEOUT: {
    kind: "unavailable",
    message: "the database did not respond in time",
    when: "no response or no free connection within the query timeout; the last statement may have run",
  },
  DATABASE_ABORTED: {
    kind: "unavailable",
    message: "the database work was aborted",
    when: "the caller's signal ended the retries, or the caller did not read a stream to its end",
  },
  DATABASE_CLOSED: { kind: "unavailable", message: "the database was closed", when: "after close()" },
  DATABASE_STATEMENT: {
    kind: "statement",
    message: "the database rejects a statement",
    when: "wrong SQL: syntax, an unknown table, a missing privilege; or a statement after the end of its transaction",
  },
  DATABASE_MIGRATION: {
    kind: "statement",
    message: "cannot migrate the database",
    when: "a migration failed or was changed, another process held the lock for too long, or folded counts lack their days",
  },
} as const satisfies Record<string, CatalogueEntry & { readonly kind: DatabaseErrorKind }>;

const failureClasses = {
  data: "unexpected",
  retry: "conflict",
  unavailable: "unavailable",
  statement: "unexpected",
} as const satisfies Record<DatabaseErrorKind, FailureClass>;

type DatabaseErrorCode = keyof typeof databaseErrors;

/** The only error this package throws. `errno`: the server's number, if it sent one. `cause`: the driver's error. */
export class DatabaseError extends CataloguedError<DatabaseErrorCode> {
  readonly kind: DatabaseErrorKind;
  readonly failureClass: FailureClass;
  readonly errno: number | undefined;

  constructor(code: DatabaseErrorCode, detail: string, options: ErrorOptions = {}) {
    super(databaseErrors, code, detail, options);
    this.kind = databaseErrors[code].kind;
    this.failureClass = failureClasses[this.kind];
    const errno: unknown = options.cause instanceof Error ? Reflect.get(options.cause, "errno") : undefined;
    this.errno = typeof errno === "number" && errno > 0 ? errno : undefined;
  }
}

/** The tables or the rankings are not as tally leaves them. The message says what to do, or what differs; commands print
 * it without a stack. */
export class UnexpectedState extends Error {}

/** From the server (errno > 0, sqlState), or from the socket (errno missing or negative, as Node sets it). */
export interface DriverError extends Error {
  readonly errno?: number | undefined;
  readonly sqlState?: string | undefined;
  sql?: string | undefined;
}

/** The DatabaseError for a failed statement. `sql` is the text without its values. */
export function fromDriverError(error: DriverError, sql: string): DatabaseError {
  // The driver attaches the whole statement, which can be a megabyte of rows: too much for a log line.
  if (error.sql !== undefined) error.sql = sql;
  return new DatabaseError(codeOf(error), `${error.message}, in: ${sql}`, { cause: error });
}

/** A retry is always worthwhile: passwords rotate, databases and servers appear later. */
export function fromConnectError(error: DriverError): DatabaseError {
  return new DatabaseError("DATABASE_UNAVAILABLE", error.message, { cause: error });
}

export function isDuplicate(error: unknown): boolean {
  return error instanceof DatabaseError && error.errno !== undefined && duplicateErrnos.has(error.errno);
}

const duplicateErrnos: ReadonlySet<number> = new Set([1022, 1062, 1586]);

// Server numbers that their SQLSTATE class does not separate (MySQL and MariaDB differ in SQLSTATE, not in number).
const dataErrnos: ReadonlySet<number> = new Set([
  // A packet larger than max_allowed_packet, truncated data, incorrect values for a type or a column.
  1153, 1265, 1292, 1366,
  // Check constraints of MySQL and MariaDB.
  3819, 4025,
]);
// A record changed since the last read (MariaDB), lock wait timeout, too many active transactions, NOWAIT.
const conflictErrnos: ReadonlySet<number> = new Set([1020, 1205, 1637, 3572]);
const unavailableErrnos: ReadonlySet<number> = new Set([
  // Disk: error writing a file, full, storage engine error, table full (how a full disk shows), binary log.
  3, 1021, 1026, 1030, 1114, 1598,
  // Memory, connections, threads, limits of a user.
  1037, 1038, 1040, 1041, 1135, 1203, 1226,
  // Shutdown, interrupted, killed, closed for inactivity, not available.
  1053, 1317, 1927, 3168, 4031,
  // Read-only servers and transactions.
  1290, 1792, 1836,
  // max_statement_time of MariaDB, max_execution_time of MySQL.
  1969, 3024,
]);

const sqlStateCodes: Readonly<Record<string, DatabaseErrorCode>> = {
  "08": "DATABASE_UNAVAILABLE",
  "22": "DATABASE_DATA",
  "23": "DATABASE_DATA",
  "40": "DATABASE_CONFLICT",
};

function codeOf({ errno = 0, sqlState = "" }: DriverError): DatabaseErrorCode {
  if (errno <= 0 || unavailableErrnos.has(errno)) return "DATABASE_UNAVAILABLE";
  if (dataErrnos.has(errno)) return "DATABASE_DATA";
  if (conflictErrnos.has(errno)) return "DATABASE_CONFLICT";
  return sqlStateCodes[sqlState.slice(0, 2)] ?? "DATABASE_STATEMENT";
}
