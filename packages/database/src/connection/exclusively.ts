import type { SqlParameter, SqlReader } from "@tally/contract";
import { sessionSql } from "./connection-options.ts";
import { changedRows, rowsOf } from "./run-statement.ts";
import { withConnection } from "./with-connection.ts";

/** One connection to the write endpoint for statements that change tables. The server commits each. */
export interface ExclusiveSession extends SqlReader {
  /**
   * Returns how many rows it changed. Not repeated: after a lost connection it may still run, and holds the lock until
   * it ends.
   */
  execute(sql: string, values?: readonly SqlParameter[]): Promise<number>;
}

export interface ExclusiveOptions {
  /** Of the write endpoint. */
  readonly url: string;
  /** One process at a time has this lock of the database. At most 20 characters. */
  readonly lock: string;
  /** How long to wait for the lock. */
  readonly waitSeconds: number;
  /** Longest time for one statement. */
  readonly timeoutMs: number;
  /**
   * Longest time that a statement waits for transactions that use its tables. New transactions on these tables wait
   * meanwhile.
   */
  readonly tableLockWithinSeconds: number;
}

/**
 * Runs `use` on an own connection that holds a lock until it ends, also when the process is killed during a statement:
 * a later process cannot act beside that statement. Returns undefined when another process has the lock. Throws
 * DatabaseError.
 */
export async function exclusively<T extends object>(
  { url, lock, waitSeconds, timeoutMs, tableLockWithinSeconds }: ExclusiveOptions,
  use: (session: ExclusiveSession) => Promise<T>,
): Promise<T | undefined> {
  return withConnection(url, timeoutMs, async (run) => {
    for (const sql of sessionSql(timeoutMs, "write")) await run(sql);
    await run(setTableLockTime, [tableLockWithinSeconds]);
    const [row] = rowsOf<{ readonly locked: number | null }>(await run(getLock, [lock, waitSeconds]));
    if (row?.locked !== 1) return undefined;
    return use({
      query: async <Row extends object>(sql: string, values?: readonly SqlParameter[]) =>
        rowsOf<Row>(await run(sql, values)),
      execute: async (sql, values) => changedRows(await run(sql, values)),
    });
  });
}

const setTableLockTime = "SET SESSION lock_wait_timeout = ?";
// The server's locks have one namespace for all databases, and names of at most 64 characters.
const getLock = "SELECT GET_LOCK(CONCAT('tally-', ?, '-', LEFT(SHA2(DATABASE(), 256), 36)), ?) AS locked";
