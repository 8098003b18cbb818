import type { QueryResult } from "mysql2";

/** The rows of a SELECT; `Row` is what the statement's author says they look like. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function rowsOf<Row extends object>(result: QueryResult): readonly Row[] {
  if (!Array.isArray(result)) return [];
  // The one place where a statement's text and its row type meet; nothing could check them against each other.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return result as unknown as readonly Row[];
}

/** How many rows a statement changed (the connection's FOUND_ROWS flag is off); 0 for a SELECT. */
export function changedRows(result: QueryResult): number {
  return Array.isArray(result) ? 0 : result.affectedRows;
}
