import { format } from "mysql2";
import type { SqlParameter } from "@tally/pipeline";

/** The statement with its values put in, escaped by mysql2. Objects become strings, never "a = 1, b = 2"; dates are in UTC. */
export function sqlText(sql: string, values: readonly SqlParameter[] | undefined): string {
  if (values === undefined) return sql;
  // format() changes none of its lists; its type only forgets to say so.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return format(sql, values as DriverValues, true, "Z");
}

type DriverValues = Parameters<typeof format>[1];
