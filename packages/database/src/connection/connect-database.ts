import type { PoolState } from "@tally/runtime";
import type { SqlReader, SqlSnapshot, SqlTransaction } from "@tally/contract";
import { Endpoint, takesWrites, type EndpointOptions } from "./endpoint.ts";
import { read, readerOf, snapshot, type SnapshotOptions } from "./read.ts";
import { transact, type TransactionOptions } from "./transact.ts";

export interface DatabaseOptions extends Omit<EndpointOptions, "name" | "url" | "connections"> {
  /** mysql://user:password@host:port/database of the write endpoint. */
  readonly writeUrl: string;
  /** The same of the read endpoint; may be the write endpoint's. */
  readonly readUrl: string;
  readonly writeConnections: number;
  readonly readConnections: number;
}

export interface Database {
  /** Runs `work` in one READ COMMITTED transaction and commits. Repeats all of it after deadlocks, lock timeouts and
   * while the write endpoint is unavailable (lost connection, read-only server after a failover, ...); without options,
   * forever. It also repeats after a COMMIT of unknown outcome: `work` must detect that it was done already. Rolls back
   * and rethrows what `work` throws, including data errors. */
  transaction<T>(work: (tx: SqlTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The read endpoint: may lag behind commits. Its connections cannot write. */
  readonly reader: SqlReader;
  /** Single reads on the write endpoint, which see the latest commits. */
  readonly writer: SqlReader;
  /** Runs `work` on one consistent snapshot. No retries. A stream may be silent for half an hour. */
  snapshot<T>(
    endpoint: "read" | "write",
    work: (reader: SqlSnapshot) => Promise<T>,
    options?: SnapshotOptions,
  ): Promise<T>;
  /** Whether each endpoint responds, and the write endpoint is not read-only. Never throws. */
  ping(): Promise<{ readonly write: boolean; readonly read: boolean }>;
  /** The same for one endpoint. */
  responds(endpoint: "read" | "write"): Promise<boolean>;
  pools(): readonly PoolState[];
  /** Waits at most the query timeout for what is running, and disconnects. Later calls fail with DATABASE_CLOSED. */
  close(): Promise<void>;
}

/** Pools connect on first use, so an unavailable server throws nothing here. Throws DATABASE_URL. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { writeUrl, readUrl, writeConnections, readConnections } = options;
  const writes = new Endpoint({ ...options, name: "write", url: writeUrl, connections: writeConnections });
  const reads = new Endpoint({ ...options, name: "read", url: readUrl, connections: readConnections });
  const endpoints = { write: writes, read: reads };
  const responds = (name: "read" | "write") => isOk(endpoints[name], name === "read" ? pingRead : takesWrites);
  return {
    transaction: (work, transactionOptions = {}) => transact(writes, work, transactionOptions),
    reader: readerOf(reads),
    writer: readerOf(writes),
    snapshot: (name, work, snapshotOptions = {}) => snapshot(endpoints[name], work, snapshotOptions),
    async ping() {
      const [write, readable] = await Promise.all([responds("write"), responds("read")]);
      return { write, read: readable };
    },
    responds,
    pools: () => [writes.load, reads.load],
    async close() {
      await Promise.all([writes.close(), reads.close()]);
    },
  };
}

async function isOk(endpoint: Endpoint, sql: string): Promise<boolean> {
  try {
    const [row] = await read<{ readonly ok: number }>(endpoint, sql);
    return row?.ok === 1;
  } catch {
    return false;
  }
}

const pingRead = "SELECT 1 AS ok";
