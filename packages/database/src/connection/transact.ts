import { setTimeout as sleep } from "node:timers/promises";
import { backOffMs } from "@tally/runtime";
import type { SqlTransaction, SqlValue } from "@tally/contract";
import { DatabaseError, isDuplicate } from "./database-error.ts";
import type { Endpoint } from "./endpoint.ts";
import { changedRows, sqlOf } from "./run-statement.ts";
import type { Session } from "./session.ts";
import { escape } from "mysql2";

export interface TransactionOptions {
  /** Ends the retries (not a running attempt) with DATABASE_ABORTED. */
  readonly signal?: AbortSignal;
  /** Ends the retries with DATABASE_UNAVAILABLE after about this time. */
  readonly giveUpAfterMs?: number;
}

/** Repeats `work` until it is committed; see Database.transaction. */
export async function transact<T>(
  endpoint: Endpoint,
  work: (tx: SqlTransaction) => Promise<T>,
  { signal, giveUpAfterMs = Infinity }: TransactionOptions,
): Promise<T> {
  const startedAt = performance.now();
  for (let failures = 1; ; failures++) {
    try {
      const result = await attempt(endpoint, work);
      endpoint.worked();
      return result;
    } catch (error) {
      if (!isRepeatable(error)) throw error;
      endpoint.failed(error);
      const after = `after ${failures} attempts: ${error.message}`;
      const delayMs = backOffMs(failures, error.failureClass);
      if (performance.now() - startedAt + delayMs > giveUpAfterMs)
        throw new DatabaseError("DATABASE_UNAVAILABLE", `gave up ${after}`, { cause: error });
      await sleep(delayMs, undefined, { signal }).catch(() => {
        throw new DatabaseError("DATABASE_ABORTED", after, { cause: error });
      });
    }
  }
}

async function attempt<T>(endpoint: Endpoint, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
  const session = await endpoint.open();
  try {
    await session.run("START TRANSACTION");
    const result = await work(transactionOf(session));
    // Fails with a failure that the work has caught. An unknown outcome counts as failed: the work is repeatable.
    await session.commit();
    return result;
  } catch (error) {
    const failure = session.failure ?? error;
    await session.rollback();
    throw failure;
  } finally {
    session.return();
  }
}

function isRepeatable(error: unknown): error is DatabaseError {
  if (!(error instanceof DatabaseError)) return false;
  if (error.code === "DATABASE_CLOSED" || error.code === "DATABASE_ABORTED") return false;
  return error.kind === "retry" || error.kind === "unavailable";
}

function transactionOf(session: Session): SqlTransaction {
  return {
    ...sqlOf(session),
    async upsert(sql, rows) {
      let changed = 0;
      for (const text of insertStatements(sql, rows)) changed += changedRows(await session.runText(text, sql));
      return changed;
    },
    async insert(sql, rows) {
      const statements = insertStatements(sql, rows);
      // InnoDB rolls back a rejected statement as a whole; several statements need a savepoint.
      const savepoint = statements.length > 1;
      if (savepoint) await session.run("SAVEPOINT insert_rows");
      try {
        for (const text of statements) await session.runText(text, sql);
      } catch (error) {
        if (savepoint) await session.run("ROLLBACK TO SAVEPOINT insert_rows");
        if (isDuplicate(error)) return "duplicate";
        throw error;
      }
      return "inserted";
    },
  };
}

/** The statements that insert `rows` by "INSERT INTO t (a, b) VALUES ?", nearly always one: a new statement begins
 * after about a million characters.
 *
 * Why we build the text: CPU of client + server in ms, for a transaction of 500 rows with 7 columns and 2,500 rows with
 * 4, on 2 cores:
 *   MariaDB 10.11: this 1.9 + 9.3, mysql2's nested arrays 2.8 + 9.2, prepared statements of 500 rows 3.7 + 8.4
 *   MySQL 9.7:     this 2.7 + 15.6, nested arrays 4.3 + 16.0, prepared statements of 500 rows 30 + 16 */
export function insertStatements(sql: string, rows: readonly (readonly SqlValue[])[]): readonly string[] {
  const at = sql.indexOf(placeholder);
  if (at < 0) throw new DatabaseError("DATABASE_STATEMENT", `insert needs "VALUES ?", in: ${sql}`);
  const head = sql.slice(0, at + placeholder.length - 1);
  const tail = `)${sql.slice(at + placeholder.length)}`;

  const statements: string[] = [];
  let text = head;
  let separator = "(";
  // Consecutive rows often have the same Buffer in a column, such as the batch's producer: convert it to hex once.
  const lastBuffers: Buffer[] = [];
  const lastHexes: string[] = [];
  for (const row of rows) {
    if (text.length > textLengthAim) {
      statements.push(text + tail);
      text = head;
      separator = "(";
    }
    let rowText = separator;
    for (let column = 0; column < row.length; column++) {
      const value = row[column] ?? null;
      if (column > 0) rowText += ",";
      if (typeof value === "number") {
        if (!Number.isFinite(value))
          throw new DatabaseError("DATABASE_DATA", `${value} is not an SQL number, in: ${sql}`);
        rowText += value;
      } else if (Buffer.isBuffer(value)) {
        if (value !== lastBuffers[column]) {
          lastBuffers[column] = value;
          lastHexes[column] = `x'${value.toString("hex")}'`;
        }
        rowText += lastHexes[column];
      } else {
        rowText += escape(value, true, "Z");
      }
    }
    text += rowText;
    separator = "),(";
  }
  if (rows.length > 0) statements.push(text + tail);
  return statements;
}

const placeholder = "VALUES ?";
const textLengthAim = 1_000_000;
