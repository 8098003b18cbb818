import type { SqlParameter, SqlSnapshot } from "@tally/contract";
import { backOff } from "@tally/runtime";
import { DatabaseError } from "./database-error.ts";
import { rowsOf, sqlOf } from "./run-statement.ts";
import type { Session } from "./session.ts";

/** Where reads go: `size` servers, one for each attempt. */
export interface ReadSource {
  readonly size: number;
  next(): ReadServer;
}

interface ReadServer {
  open(options?: { readonly abandonable?: boolean }): Promise<Session>;
  worked(): void;
  failed(error: DatabaseError): void;
}

const attemptsMax = 3;

/** Retries a SELECT after a lost connection, on the next server. Not after a timeout: it would exceed the caller's. */
export async function read<Row extends object>(
  source: ReadSource,
  sql: string,
  values?: readonly SqlParameter[],
): Promise<readonly Row[]> {
  for (let failures = 1; ; failures++) {
    const endpoint = source.next();
    try {
      const session = await endpoint.open();
      const result = await session.run(sql, values).finally(() => session.return());
      endpoint.worked();
      return rowsOf<Row>(result);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== "unavailable") throw error;
      endpoint.failed(error);
      if (error.code !== "DATABASE_UNAVAILABLE" || failures === attemptsMax) throw error;
      await backOff(failures, error);
    }
  }
}

// Most statements read a range of about a second; some count a whole table.
const longestSilenceMs = 1_800_000;

export interface SnapshotOptions {
  /** A SELECT that opens tables. ALTER TABLE and the like on them wait until `work` ends. */
  readonly holding?: string | undefined;
  /** A stream without a row for longer fails; by default half an hour. */
  readonly silenceMs?: number;
}

/** A server that is unavailable is skipped before `work`; no retries after. Closing the database ends it. */
export async function snapshot<T>(
  source: ReadSource,
  work: (reader: SqlSnapshot) => Promise<T>,
  { holding, silenceMs = longestSilenceMs }: SnapshotOptions,
): Promise<T> {
  const { endpoint, session } = await openOn(source);
  try {
    // `work` may take a while between two statements or rows. Only changes of tables wait for its locks.
    await session.run("SET SESSION wait_timeout = 28800, net_write_timeout = 28800");
    await session.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    // With `holding` the moment is that of the first read, which comes after the locks on the definitions.
    const moment = holding === undefined ? "WITH CONSISTENT SNAPSHOT, " : "";
    await session.run(`START TRANSACTION ${moment}READ ONLY`);
    if (holding !== undefined) await session.run(holding);
    const stream: SqlSnapshot["stream"] = (sql, values) => session.stream(sql, values, silenceMs);
    const result = await work({ ...sqlOf(session), stream });
    endpoint.worked();
    return result;
  } finally {
    await session.rollback();
    session.return();
  }
}

async function openOn(source: ReadSource) {
  for (let failures = 1; ; failures++) {
    const endpoint = source.next();
    try {
      return { endpoint, session: await endpoint.open({ abandonable: true }) };
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== "unavailable") throw error;
      endpoint.failed(error);
      if (failures === source.size) throw error;
    }
  }
}
