import type { SqlReader, SqlParameter, SqlSnapshot } from "@tally/contract";
import { backOff } from "@tally/runtime";
import type { Endpoint } from "./endpoint.ts";
import { DatabaseError } from "./database-error.ts";
import { rowsOf, sqlOf } from "./run-statement.ts";

const attemptsMax = 3;

/** Retries a SELECT after a lost connection. Not after a timeout: it would exceed the caller's. */
export async function read<Row extends object>(
  endpoint: Endpoint,
  sql: string,
  values?: readonly SqlParameter[],
): Promise<readonly Row[]> {
  for (let failures = 1; ; failures++) {
    try {
      const rows = rowsOf<Row>(await attempt(endpoint, sql, values));
      endpoint.worked();
      return rows;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== "unavailable") throw error;
      endpoint.failed(error);
      if (error.code !== "DATABASE_UNAVAILABLE" || failures === attemptsMax) throw error;
      await backOff(failures, error);
    }
  }
}

export function readerOf(endpoint: Endpoint): SqlReader {
  return { query: (sql, values) => read(endpoint, sql, values) };
}

async function attempt(endpoint: Endpoint, sql: string, values?: readonly SqlParameter[]) {
  const session = await endpoint.open();
  try {
    return await session.run(sql, values);
  } finally {
    session.return();
  }
}

// The server sorts sums over a hundred million rows before it sends the first one.
const silenceMs = 1_800_000;

export interface SnapshotOptions {
  /** A SELECT that opens tables. ALTER TABLE and the like on them wait until `work` ends. */
  readonly holding?: string | undefined;
}

/** No retries. Closing the database ends it. */
export async function snapshot<T>(
  endpoint: Endpoint,
  work: (reader: SqlSnapshot) => Promise<T>,
  { holding }: SnapshotOptions,
): Promise<T> {
  const session = await endpoint.open({ abandonable: true }).catch((error: unknown) => {
    if (error instanceof DatabaseError && error.kind === "unavailable") endpoint.failed(error);
    throw error;
  });
  try {
    await session.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    // With `holding` the moment is that of the first read, which comes after the locks on the definitions.
    const moment = holding === undefined ? "WITH CONSISTENT SNAPSHOT, " : "";
    await session.run(`START TRANSACTION ${moment}READ ONLY`);
    if (holding !== undefined) await session.run(holding);
    const result = await work({
      ...sqlOf(session),
      stream: (sql, values) => session.stream(sql, values, silenceMs),
    });
    endpoint.worked();
    return result;
  } finally {
    await session.rollback();
    session.return();
  }
}
