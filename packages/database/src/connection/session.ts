import type { PoolConnection, QueryResult, Connection } from "mysql2";
import type { SqlParameter } from "@tally/contract";
import { DatabaseError, fromDriverError, type DriverError } from "./database-error.ts";
import { destroyConnection, runStatement, sqlText } from "./run-statement.ts";

// At up to 3 bytes a character below MariaDB's packet of 16 MiB: a larger one ends the connection.
const textLengthMax = 5 * 1024 * 1024;

/** One lent connection. Statements run in sequence, also when they are called in parallel. After an error that ends the
 * transaction (deadlock, lost connection) the following statements fail with the same error: the server would run and
 * keep them outside of any transaction. */
export class Session {
  readonly #connection: PoolConnection;
  readonly #timeoutMs: number;
  readonly #onReturn: (session: Session) => void;
  /** Settles after every statement accepted so far. */
  #idle: Promise<unknown> = Promise.resolve();
  #failure: DatabaseError | undefined;
  #ended = false;
  #returned = false;

  constructor(connection: PoolConnection, timeoutMs: number, onReturn: (session: Session) => void) {
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
    this.#onReturn = onReturn;
  }

  get failure(): DatabaseError | undefined {
    return this.#failure;
  }

  async run(sql: string, values?: readonly SqlParameter[]): Promise<QueryResult> {
    return this.runText(sqlText(sql, values), sql);
  }

  /** Runs `text`, which includes its values; `label` names it in errors. */
  async runText(text: string, label: string): Promise<QueryResult> {
    if (this.#ended) throw this.#failure ?? endedIn(label);
    const result = this.#idle.then(() => this.#send(text, label));
    this.#idle = result.catch(() => {});
    return result;
  }

  /** The rows of one SELECT; see streamRows. The session must run nothing else meanwhile. */
  async *stream(
    sql: string,
    values: readonly SqlParameter[] | undefined,
    silenceMs: number,
  ): AsyncGenerator<readonly (readonly unknown[])[]> {
    await this.#idle;
    if (this.#ended) throw this.#failure ?? endedIn(sql);
    let whole = false;
    try {
      yield* streamRows(this.#connection, sqlText(sql, values), sql, silenceMs);
      whole = true;
    } catch (error) {
      if (error instanceof DatabaseError) this.#failure ??= error;
      throw error;
    } finally {
      if (!whole) this.#failure ??= new DatabaseError("DATABASE_ABORTED", `not read to its end: ${sql}`);
    }
  }

  /** Commits what was accepted before; later statements fail. Throws the session's failure, if there is one. */
  async commit(): Promise<void> {
    const committed = this.run("COMMIT");
    this.#ended = true;
    await committed;
  }

  /** Never throws: return() destroys a connection whose rollback failed. */
  async rollback(): Promise<void> {
    this.#ended = true;
    await this.#idle;
    if (this.#failure?.kind === "unavailable") return;
    this.#failure = undefined;
    await this.#send("ROLLBACK", "ROLLBACK").catch((cause: unknown) => {
      this.#failure = new DatabaseError("DATABASE_UNAVAILABLE", "rollback failed", { cause });
    });
  }

  /** Returns the connection to the pool, or destroys it if its state is unknown. */
  return(): void {
    if (this.#returned) return;
    this.#returned = true;
    this.#ended = true;
    if (this.#failure?.kind === "unavailable") destroyConnection(this.#connection);
    else this.#connection.release();
    this.#onReturn(this);
  }

  /** Ends the session during a running statement. */
  destroy(): void {
    this.#failure = new DatabaseError("DATABASE_CLOSED", "");
    this.return();
  }

  async #send(text: string, label: string): Promise<QueryResult> {
    if (this.#failure !== undefined) throw this.#failure;
    if (text.length > textLengthMax)
      throw new DatabaseError("DATABASE_DATA", `a statement of ${text.length} characters is too large, in: ${label}`);
    try {
      return await runStatement(this.#connection, text, label, this.#timeoutMs);
    } catch (error) {
      if (error instanceof DatabaseError && (error.kind === "retry" || error.kind === "unavailable"))
        this.#failure ??= error;
      throw error;
    }
  }
}

function endedIn(label: string): DatabaseError {
  return new DatabaseError("DATABASE_STATEMENT", `the transaction has ended, in: ${label}`);
}

const [rowsPerChunk, charactersPerChunk] = [5000, 16_000_000];

/** The rows of one SELECT, each an array of its columns. A chunk ends after 5,000 rows or 16 MB of texts: a result of any
 * size takes the memory of two chunks. The server waits while the consumer works. Throws DatabaseError, also after
 * `silenceMs` without a row; then, and when the consumer ends early, it destroys the connection. */
async function* streamRows(
  connection: Connection,
  text: string,
  label: string,
  silenceMs: number,
): AsyncGenerator<readonly (readonly unknown[])[]> {
  let [chunk, characters]: [(readonly unknown[])[], number] = [[], 0];
  const isFull = (): boolean => chunk.length >= rowsPerChunk || characters >= charactersPerChunk;
  const found: { ended: boolean; failure?: DatabaseError } = { ended: false };
  let wake: () => void = () => undefined;
  const fail = (error: DriverError): void => {
    found.failure ??= fromDriverError(error, label);
    wake();
  };
  // A query without a callback does not hear that its connection is lost.
  connection.on("error", fail);
  const query = connection.query({ sql: text, values: null, rowsAsArray: true });
  query.on("error", fail);
  query.on("result", (row: unknown) => {
    if (!Array.isArray(row)) return;
    chunk.push(row);
    for (const column of row) if (typeof column === "string") characters += column.length;
    if (!isFull()) return;
    connection.pause();
    wake();
  });
  query.on("end", () => {
    found.ended = true;
    wake();
  });
  try {
    for (;;) {
      if (!found.ended && found.failure === undefined && !isFull()) {
        const timer = setTimeout(() => {
          found.failure = new DatabaseError("DATABASE_TIMEOUT", `no row within ${silenceMs} ms, in: ${label}`);
          wake();
        }, silenceMs);
        await new Promise<void>((resolve) => (wake = resolve));
        clearTimeout(timer);
      }
      if (found.failure !== undefined) throw found.failure;
      const full = chunk;
      [chunk, characters] = [[], 0];
      const { ended } = found;
      if (!ended) connection.resume();
      if (full.length > 0) yield full;
      if (ended) return;
    }
  } finally {
    connection.off("error", fail);
    if (!found.ended || found.failure !== undefined) destroyConnection(connection);
  }
}
