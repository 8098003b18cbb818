import { Socket } from "node:net";
import type { SqlParameter } from "@tally/contract";
import { format, type Connection, type QueryResult } from "mysql2";
import { DatabaseError } from "./database-error.ts";
import { fromDriverError } from "./driver-error.ts";

/** The statement with its values, escaped by mysql2. Objects become strings, never "a = 1, b = 2"; dates are in UTC. */
export function sqlText(sql: string, values: readonly SqlParameter[] | undefined): string {
  if (values === undefined) return sql;
  // format() does not change its lists; its type lacks "readonly".
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return format(sql, values as Parameters<typeof format>[1], true, "Z");
}

/**
 * Runs one statement; `label` names it in errors. Destroys the connection after `timeoutMs`, which mysql2's own timeout
 * does not do.
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
  // The only place where a statement's text meets its row type. Nothing can check one against the other.
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
