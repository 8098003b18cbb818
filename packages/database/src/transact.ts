import { setTimeout as sleep } from "node:timers/promises";
import { backOffMs } from "@tally/failures";
import { DatabaseError } from "./database-error.ts";
import { awayBackOff, type Endpoint } from "./endpoint.ts";
import type { SqlTransaction } from "@tally/pipeline";
import { Transaction } from "./transaction.ts";

export interface TransactionOptions {
  /** Ends the retries (not the attempt under way) with DATABASE_ABORTED. */
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
      endpoint.health.worked();
      return result;
    } catch (error) {
      if (!isRepeatable(error)) throw error;
      endpoint.health.failed(error);
      const delayMs = backOffMs(failures, error.kind === "retry" ? conflictBackOff : awayBackOff);
      if (performance.now() - startedAt + delayMs > giveUpAfterMs) {
        throw new DatabaseError("DATABASE_UNAVAILABLE", `gave up after ${failures} attempts: ${error.message}`, {
          cause: error,
        });
      }
      await sleep(delayMs, undefined, { signal }).catch(() => {
        throw new DatabaseError("DATABASE_ABORTED", `aborted after ${failures} attempts: ${error.message}`, {
          cause: error,
        });
      });
    }
  }
}

async function attempt<T>(endpoint: Endpoint, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
  const session = await endpoint.open();
  try {
    await session.run("START TRANSACTION");
    const result = await work(new Transaction(session));
    // Fails with the session's failure where the work has swallowed it. An unknown outcome counts as failed: the work is repeatable.
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

const conflictBackOff = { firstMs: 5, longestMs: 500 };
