import type { PoolConnection, QueryResult } from "mysql2";
import type { SqlParameter } from "@tally/contract";
import { DatabaseError } from "./database-error.ts";
import { destroyConnection, runStatement, sqlText } from "./run-statement.ts";
import { streamRows } from "./stream-rows.ts";

// Below MariaDB's default packet of 16 MiB at three bytes per character. Larger ones end the connection, which looks
// like an outage.
const textLengthMax = 5 * 1024 * 1024;

/**
 * One lent connection. Statements run in sequence, also when they are called in parallel. After an error that ends the
 * transaction (deadlock, lost connection) the following statements fail with the same error: the server would run and
 * keep them outside of any transaction.
 */
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

  /** What ended the transaction. */
  get failure(): DatabaseError | undefined {
    return this.#failure;
  }

  async run(sql: string, values?: readonly SqlParameter[]): Promise<QueryResult> {
    return this.runText(sqlText(sql, values), sql);
  }

  /** Runs `text`, which includes its values; `label` names it in errors. */
  async runText(text: string, label: string): Promise<QueryResult> {
    if (this.#ended) throw this.#failure ?? ended(label);
    const result = this.#idle.then(() => this.#send(text, label));
    this.#idle = result.catch(() => {});
    return result;
  }

  /** The rows of one SELECT in chunks; see streamRows. The session must run nothing else meanwhile. */
  async *stream(
    sql: string,
    values: readonly SqlParameter[] | undefined,
    silenceMs: number,
  ): AsyncGenerator<readonly (readonly unknown[])[]> {
    await this.#idle;
    if (this.#ended) throw this.#failure ?? ended(sql);
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

  /**
   * Rolls back, so that the connection can be lent again. Never throws: return() destroys a connection whose rollback
   * failed.
   */
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
    if (text.length > textLengthMax) {
      throw new DatabaseError("DATABASE_DATA", `a statement of ${text.length} characters is too large, in: ${label}`);
    }
    try {
      return await runStatement(this.#connection, text, label, this.#timeoutMs);
    } catch (error) {
      if (error instanceof DatabaseError && (error.kind === "retry" || error.kind === "unavailable")) {
        this.#failure ??= error;
      }
      throw error;
    }
  }
}

function ended(label: string): DatabaseError {
  return new DatabaseError("DATABASE_STATEMENT", `the transaction has ended, in: ${label}`);
}
