import { type Connection, createConnection, type QueryResult } from "mysql2";
import type { SqlParameter } from "@tally/contract";
import { connectionOptions } from "./connection-options.ts";
import { fromConnectError } from "./driver-error.ts";
import { runStatement, sqlText } from "./run-statement.ts";

export type Run = (sql: string, values?: readonly SqlParameter[]) => Promise<QueryResult>;

/**
 * Opens one connection outside of any pool, and ends it after `use`. `timeoutMs` is for each statement. Throws
 * DatabaseError.
 */
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
    // A lost connection fails its statement. The event without a listener would end the process.
    connection.on("error", () => {});
    connection.connect((error) => {
      if (error === null) resolve(connection);
      else reject(fromConnectError(error));
    });
  });
}
