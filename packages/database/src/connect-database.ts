import type { Log } from "@tally/failures";
import { sessionSql } from "./connection-options.ts";
import { Endpoint } from "./endpoint.ts";
import { read } from "./read.ts";
import { snapshot } from "./snapshot.ts";
import type { SqlReader, SqlSnapshot, SqlTransaction } from "@tally/pipeline";
import { transact, type TransactionOptions } from "./transact.ts";

export interface DatabaseOptions {
  /** mysql://user:password@host:port/database of the primary. */
  readonly writeUrl: string;
  /** The same of a replica; may be the primary's. */
  readonly readUrl: string;
  readonly writeConnections: number;
  readonly readConnections: number;
  /** Longest time for one statement, and for a free connection. Lock waits end at half of it. */
  readonly queryTimeoutMs: number;
  readonly log: Log;
}

export interface Database {
  /**
   * Runs `work` in one READ COMMITTED transaction and commits. Repeats the whole of it after deadlocks, lock waits and anything that makes the
   * write endpoint unavailable (lost connection, read-only server after a failover, ...), for ever unless told otherwise. A COMMIT of unknown
   * outcome is repeated too: `work` must notice that it was done already. What `work` throws, data errors included, rolls back and is thrown on.
   */
  transaction<T>(work: (tx: SqlTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The read endpoint: may lag behind what was committed. Its connections can't write. */
  readonly reader: SqlReader;
  /** Single reads on the write endpoint, for whoever must see what was just committed. */
  readonly writer: SqlReader;
  /**
   * Runs `work` on one consistent snapshot of an endpoint, for reads of any size that must agree with each other. Not tried again. A stream
   * may be silent for half an hour.
   */
  snapshot<T>(endpoint: "read" | "write", work: (reader: SqlSnapshot) => Promise<T>): Promise<T>;
  /** Whether each endpoint answers, and the write endpoint is not read-only. Never throws. */
  ping(): Promise<{ readonly write: boolean; readonly read: boolean }>;
  /** Waits for what is running, at most the query time-out, and disconnects. Whatever comes later fails with DATABASE_CLOSED. */
  close(): Promise<void>;
}

/** Two pools that connect when first used, so this never fails. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { queryTimeoutMs, log } = options;
  const write = new Endpoint({
    name: "write",
    url: options.writeUrl,
    connections: options.writeConnections,
    sessionSql: sessionSql(queryTimeoutMs, "READ WRITE"),
    queryTimeoutMs,
    log,
  });
  const replica = new Endpoint({
    name: "read",
    url: options.readUrl,
    connections: options.readConnections,
    sessionSql: sessionSql(queryTimeoutMs, "READ ONLY"),
    queryTimeoutMs,
    log,
  });
  return {
    transaction: (work, transactionOptions = {}) => transact(write, work, transactionOptions),
    reader: { query: (sql, values) => read(replica, sql, values) },
    writer: { query: (sql, values) => read(write, sql, values) },
    snapshot: (endpoint, work) => snapshot(endpoint === "read" ? replica : write, work),
    async ping() {
      const [writable, readable] = await Promise.all([answers(write, pingWrite), answers(replica, pingRead)]);
      return { write: writable, read: readable };
    },
    async close() {
      await Promise.all([write.close(), replica.close()]);
    },
  };
}

async function answers(endpoint: Endpoint, sql: string): Promise<boolean> {
  try {
    const [row] = await read<{ readonly ok: number }>(endpoint, sql);
    return row?.ok === 1;
  } catch {
    return false;
  }
}

const pingRead = "SELECT 1 AS ok";
// Aurora's readers say innodb_read_only, other replicas read_only.
const pingWrite = "SELECT @@global.read_only = 0 AND @@global.innodb_read_only = 0 AS ok";
