import { backOff } from "@tally/runtime";
import type { SqlParameter } from "@tally/contract";
import { DatabaseError } from "./database-error.ts";
import type { Endpoint } from "./endpoint.ts";
import { rowsOf } from "./run-statement.ts";

const attemptsMax = 3;

/** Where a read goes. */
export interface ReadSource {
  /** The number of its servers. */
  readonly size: number;
  /** Called for each attempt. */
  next(): Endpoint;
  /** Called when the server of an attempt is unavailable. */
  failed(endpoint: Endpoint): void;
}

/**
 * One SELECT outside of a transaction. Retries after a lost connection, on the next server if there are several. Not
 * after a timeout: a retry would exceed the caller's timeout.
 */
export async function read<Row extends object>(
  source: ReadSource,
  sql: string,
  values?: readonly SqlParameter[],
): Promise<readonly Row[]> {
  for (let failures = 1; ; failures++) {
    const endpoint = source.next();
    try {
      const rows = rowsOf<Row>(await attempt(endpoint, sql, values));
      endpoint.worked();
      return rows;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== "unavailable") throw error;
      endpoint.failed(error);
      source.failed(endpoint);
      if (error.code !== "DATABASE_UNAVAILABLE" || failures === attemptsMax) throw error;
      await backOff(failures, error);
    }
  }
}

async function attempt(endpoint: Endpoint, sql: string, values?: readonly SqlParameter[]) {
  const session = await endpoint.open();
  try {
    return await session.run(sql, values);
  } finally {
    session.return();
  }
}
