import { Socket } from "node:net";
import type { Connection, QueryResult } from "mysql2";
import { DatabaseError } from "./database-error.ts";
import { fromDriverError } from "./driver-error.ts";

/**
 * Runs one statement; `label` names it in errors, without its values. Without an answer in `timeoutMs` the connection is destroyed
 * (mysql2 has no time-out that does so). Throws DatabaseError.
 */
export function runStatement(
  connection: Connection,
  text: string,
  label: string,
  timeoutMs: number,
): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      destroyConnection(connection);
      reject(new DatabaseError("DATABASE_TIMEOUT", `no answer within ${timeoutMs} ms, in: ${label}`));
    }, timeoutMs);
    // `values: null`, because an absent list makes mysql2 search the whole text for placeholders.
    connection.query({ sql: text, values: null }, (error, result) => {
      clearTimeout(timer);
      if (error === null) resolve(result);
      else reject(fromDriverError(error, label));
    });
  });
}

/** Closes for good and at once. mysql2's own destroy() ends the stream politely, which a hung server never answers. */
export function destroyConnection(connection: Connection): void {
  connection.destroy();
  if ("stream" in connection && connection.stream instanceof Socket) connection.stream.destroy();
}
