import { CataloguedError, type CatalogueEntry, type FailureClass } from "@tally/runtime";

/**
 * What a caller can do: "data": reject the rows. "retry", "unavailable": repeat. "statement": correct the code or the
 * configuration.
 */
export type DatabaseErrorKind = "data" | "retry" | "unavailable" | "statement";

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
  DATABASE_CLOSED: {
    kind: "unavailable",
    message: "the database was closed",
    when: "after close()",
  },
  DATABASE_STATEMENT: {
    kind: "statement",
    message: "the database rejects a statement",
    when: "wrong SQL: syntax, an unknown table, a missing privilege; or a statement after the end of its transaction",
  },
  DATABASE_URL: {
    kind: "statement",
    message: "the URL of a database is not valid",
    when: "it is no URL, or asks for TLS without verification",
  },
  DATABASE_MIGRATION: {
    kind: "statement",
    message: "cannot migrate the database",
    when: "a migration failed, was changed after it was applied, or another process held the lock for too long",
  },
  DATABASE_NOT_FOR_TESTS: {
    kind: "statement",
    message: "not a test database",
    when: "a helper that drops a database got one whose name does not end in _test",
  },
} as const satisfies Record<string, CatalogueEntry & { readonly kind: DatabaseErrorKind }>;

const failureClasses = {
  data: "unexpected",
  retry: "conflict",
  unavailable: "unavailable",
  statement: "unexpected",
} as const satisfies Record<DatabaseErrorKind, FailureClass>;

export type DatabaseErrorCode = keyof typeof databaseErrors;

/** The only error this package throws. `errno`: the server's number, if it sent one. `cause`: the driver's error. */
export class DatabaseError extends CataloguedError<DatabaseErrorCode> {
  readonly kind: DatabaseErrorKind;
  readonly failureClass: FailureClass;
  readonly errno: number | undefined;

  constructor(code: DatabaseErrorCode, detail: string, options: ErrorOptions & { readonly errno?: number } = {}) {
    super(databaseErrors, code, detail, "cause" in options ? { cause: options.cause } : undefined);
    this.kind = databaseErrors[code].kind;
    this.failureClass = failureClasses[this.kind];
    this.errno = options.errno;
  }
}
