import { Socket } from "node:net";
import type { SqlParameter, SqlReader } from "@tally/contract";
import { tlsOf } from "@tally/runtime";
import { format, createConnection } from "mysql2";
import type { Connection, QueryResult, ConnectionOptions } from "mysql2";
import { DatabaseError, fromDriverError, fromConnectError } from "./database-error.ts";

/** The statement with its values, escaped by mysql2. Objects become strings, never "a = 1, b = 2"; dates are in UTC. */
export function sqlText(sql: string, values: readonly SqlParameter[] | undefined): string {
  if (values === undefined) return sql;
  // format() does not change its lists; its type lacks "readonly".
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return format(sql, values as Parameters<typeof format>[1], true, "Z");
}

/** `label`: for errors. Destroys the connection after `timeoutMs`, which mysql2's own timeout does not do. */
export function runStatement(
  connection: Connection,
  text: string,
  label: string,
  timeoutMs: number,
): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      destroyConnection(connection);
      reject(new DatabaseError("DATABASE_TIMEOUT", `no response within ${timeoutMs} ms, in: ${label}`));
    }, timeoutMs);
    // `values: null`, because an absent list makes mysql2 search the whole text for placeholders.
    connection.query({ sql: text, values: null }, (error, result) => {
      clearTimeout(timer);
      if (error === null) resolve(result);
      else reject(fromDriverError(error, label));
    });
  });
}

/** The rows of a SELECT; `Row` is the caller's claim about them. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function rowsOf<Row extends object>(result: QueryResult): readonly Row[] {
  if (!Array.isArray(result)) return [];
  // Nothing can check a statement's text against its row type.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return result as unknown as readonly Row[];
}

/** How many rows a statement changed (the connection's FOUND_ROWS flag is off); 0 for a SELECT. */
export function changedRows(result: QueryResult): number {
  return Array.isArray(result) ? 0 : result.affectedRows;
}

/** Closes at once. mysql2's destroy() ends the stream gracefully, and a hung server never completes that. */
export function destroyConnection(connection: Connection): void {
  connection.destroy();
  if ("stream" in connection && connection.stream instanceof Socket) connection.stream.destroy();
}

const sqlMode =
  "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE," +
  "ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

/** The options of every connection. mysql2 adds those in the URL. */
export function connectionOptions(url: string, connectTimeoutMs: number): ConnectionOptions {
  return {
    ...tlsOf(url),
    charset: "utf8mb4",
    timezone: "Z",
    dateStrings: ["DATE"],
    supportBigNumbers: true,
    // No FOUND_ROWS: an upsert counts no unchanged rows. No LOCAL_FILES: a server cannot request our files.
    flags: ["-FOUND_ROWS", "-LOCAL_FILES"],
    connectTimeout: Math.min(connectTimeoutMs, 10_000),
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
  };
}

/** Makes both servers and all their configurations behave alike, and ends lock waits before the client's timeout. */
export function sessionSql(queryTimeoutMs: number, endpoint: "write" | "read"): readonly string[] {
  const lockWaitSeconds = Math.max(1, Math.floor(queryTimeoutMs / 2000));
  return [
    `SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ${endpoint === "write" ? "WRITE" : "ONLY"}`,
    // Fixes the meaning of our escaping (no ANSI_QUOTES, ...) and rejects bad data instead of changing it.
    `SET SESSION sql_mode = '${sqlMode}', time_zone = '+00:00', innodb_lock_wait_timeout = ${lockWaitSeconds}`,
  ];
}

type Run = (sql: string, values?: readonly SqlParameter[]) => Promise<QueryResult>;

/** What callers outside of this folder may do with a session. */
export function sqlOf(session: { readonly run: Run }): ExclusiveSession {
  return {
    query: async <Row extends object>(sql: string, values?: readonly SqlParameter[]) =>
      rowsOf<Row>(await session.run(sql, values)),
    execute: async (sql, values) => changedRows(await session.run(sql, values)),
  };
}

/** One connection outside of any pool, until `use` ends. `timeoutMs` is for each statement. Throws DatabaseError. */
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
  /** Returns the changed rows. Not repeated: after a lost connection it may still run, and holds the lock. */
  execute(sql: string, values?: readonly SqlParameter[]): Promise<number>;
}

interface ExclusiveOptions {
  readonly url: string;
  readonly waitSeconds: number;
  readonly timeoutMs: number;
  /** Longest wait for transactions that use the tables of a statement. New ones wait meanwhile. */
  readonly tableLockWithinSeconds: number;
}

/** Runs `use` on a connection that holds the database's lock until it ends, also when the process is killed during a
 * statement: a later process cannot act beside that statement. Migrations and removals of months exclude each other,
 * because both change tables. Undefined: another process has the lock. Throws DatabaseError. */
export async function exclusively<T extends object>(
  { url, waitSeconds, timeoutMs, tableLockWithinSeconds }: ExclusiveOptions,
  use: (session: ExclusiveSession) => Promise<T>,
): Promise<T | undefined> {
  return withConnection(url, timeoutMs, async (run) => {
    for (const sql of sessionSql(timeoutMs, "write")) await run(sql);
    // The lock ends with the connection, which is idle during an export.
    await run("SET SESSION lock_wait_timeout = ?, wait_timeout = 86400", [tableLockWithinSeconds]);
    const [row] = rowsOf<{ readonly locked: number | null }>(await run(getLock, [waitSeconds]));
    if (row?.locked !== 1) return undefined;
    return use(sqlOf({ run }));
  });
}

// The server's locks have one namespace for all databases, and names of at most 64 characters. MySQL 9.7 has no MD5().
// The name is that of earlier releases for removals of months.
const getLock = "SELECT GET_LOCK(CONCAT('tally-retention-', LEFT(SHA2(DATABASE(), 256), 36)), ?) AS locked";
