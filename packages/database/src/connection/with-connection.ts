import { type Connection, createConnection, type QueryResult } from "mysql2";
import type { SqlParameter, SqlReader } from "@tally/contract";
import { connectionOptions, sessionSql, runStatement, sqlText, changedRows, rowsOf } from "./run-statement.ts";
import { fromConnectError } from "./database-error.ts";

export type Run = (sql: string, values?: readonly SqlParameter[]) => Promise<QueryResult>;

/** One connection outside of any pool until `use` ends. `timeoutMs` is for each statement. Throws DatabaseError. */
export async function withConnection<T>(url: string, timeoutMs: number, use: (run: Run) => Promise<T>): Promise<T> {
  const connection = await connect(url, timeoutMs);
  try {
    return await use((sql, values) => runStatement(connection, sqlText(sql, values), sql, timeoutMs));
  } finally {
    connection.end();
  }
}

function connect(url: string, timeoutMs: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const connection = createConnection(connectionOptions(url, timeoutMs));
    // A lost connection fails its statement; without a listener the event would end the process.
    connection.on("error", () => {});
    connection.connect((error) => {
      if (error === null) resolve(connection);
      else reject(fromConnectError(error));
    });
  });
}

/** One connection to the write endpoint for statements that change tables. The server commits each. */
export interface ExclusiveSession extends SqlReader {
  /** Returns the changed rows. Not repeated: after a lost connection it may still run, and holds the lock until then. */
  execute(sql: string, values?: readonly SqlParameter[]): Promise<number>;
}

interface ExclusiveOptions {
  readonly url: string;
  /** One process at a time has this lock of the database. At most 20 characters. */
  readonly lock: string;
  readonly waitSeconds: number;
  readonly timeoutMs: number;
  /** Longest wait for transactions that use the tables of a statement. New ones wait meanwhile. */
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
