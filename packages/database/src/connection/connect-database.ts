import type { PoolState } from "@tally/runtime";
import type { SqlReader, SqlSnapshot, SqlTransaction } from "@tally/contract";
import { Endpoint, takesWrites, type EndpointOptions } from "./endpoint.ts";
import {
  read,
  type ReadSource,
  snapshot,
  type SnapshotOptions,
  ReadEndpoints,
  type Replica,
} from "./read-endpoints.ts";
import { transact, type TransactionOptions } from "./transact.ts";

export interface DatabaseOptions extends Omit<EndpointOptions, "name" | "url" | "server" | "connections"> {
  /** mysql://user:password@host:port/database of the write endpoint. */
  readonly writeUrl: string;
  /** The same of the read endpoint, of each of its servers, separated by commas; may be the write endpoint's. */
  readonly readUrl: string;
  readonly writeConnections: number;
  /** To each server of the read endpoint. */
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
  /** `reader` and `snapshot` use them in turns, without those that are down or behind. */
  readonly replicas: readonly Replica[];
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
  const writeEndpoint = new Endpoint({ ...options, name: "write", url: writeUrl, connections: writeConnections });
  const writes: ReadSource = { size: 1, next: () => writeEndpoint, failed: () => undefined };
  const reads = new ReadEndpoints({ ...options, connections: readConnections }, readUrl);
  return {
    transaction: (work, transactionOptions = {}) => transact(writeEndpoint, work, transactionOptions),
    reader: { query: (sql, values) => read(reads, sql, values) },
    replicas: reads.replicas,
    writer: { query: (sql, values) => read(writes, sql, values) },
    snapshot: (endpoint, work, snapshotOptions = {}) =>
      snapshot(endpoint === "read" ? reads : writes, work, snapshotOptions),
    async ping() {
      const [write, readable] = await Promise.all([responds(writes, takesWrites), responds(reads, pingRead)]);
      return { write, read: readable };
    },
    responds: (endpoint) => (endpoint === "read" ? anyResponds(reads.replicas) : responds(writes, takesWrites)),
    pools: () => [writeEndpoint.load, reads.load],
    async close() {
      await Promise.all([writeEndpoint.close(), reads.close()]);
    },
  };
}

async function responds(source: ReadSource, sql: string): Promise<boolean> {
  try {
    const [row] = await read<{ readonly ok: number }>(source, sql);
    return row?.ok === 1;
  } catch {
    return false;
  }
}

// All at once: a frozen server must not hide one that responds.
function anyResponds(replicas: readonly Replica[]): Promise<boolean> {
  return Promise.any(replicas.map(({ reader }) => reader.query(pingRead))).then(
    () => true,
    () => false,
  );
}

const pingRead = "SELECT 1 AS ok";
