import { setTimeout as sleep } from "node:timers/promises";
import { backOffMs } from "@tally/runtime";
import type { SqlParameter, SqlTransaction } from "@tally/contract";
import { DatabaseError, isDuplicate } from "./database-error.ts";
import type { Endpoint } from "./endpoint.ts";
import { insertStatements } from "./insert-statements.ts";
import { changedRows, rowsOf } from "./run-statement.ts";
import type { Session } from "./session.ts";

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
      if (performance.now() - startedAt + delayMs > giveUpAfterMs) {
        throw new DatabaseError("DATABASE_UNAVAILABLE", `gave up ${after}`, { cause: error });
      }
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
    query: async <Row extends object>(sql: string, values?: readonly SqlParameter[]) =>
      rowsOf<Row>(await session.run(sql, values)),
    execute: async (sql, values) => changedRows(await session.run(sql, values)),
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
