import type { PoolState } from "@tally/runtime";
import type { SqlReader, SqlSnapshot, SqlTransaction } from "@tally/contract";
import { Endpoint, takesWrites, type EndpointOptions, type Replica } from "./endpoint.ts";
import { snapshot, type SnapshotOptions } from "./read.ts";
import { ReadEndpoints } from "./read-endpoints.ts";
import { transact, type TransactionOptions } from "./transact.ts";

export interface DatabaseOptions extends Omit<EndpointOptions, "name" | "url" | "isOneOfSeveral" | "connections"> {
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
  /** Runs `work` on one consistent snapshot. No retries. */
  snapshot<T>(
    endpoint: "read" | "write",
    work: (reader: SqlSnapshot) => Promise<T>,
    options?: SnapshotOptions,
  ): Promise<T>;
  /** Whether a server of the endpoint responds; one of the write endpoint must not be read-only. Never throws. */
  responds(endpoint: "read" | "write"): Promise<boolean>;
  pools(): readonly PoolState[];
  /** Waits at most the query timeout for what is running, and disconnects. Later calls fail with DATABASE_CLOSED. */
  close(): Promise<void>;
}

/** Pools connect on first use, so an unavailable server throws nothing here. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { writeUrl, readUrl, writeConnections, readConnections } = options;
  const writes = new Endpoint({ ...options, name: "write", url: writeUrl, connections: writeConnections });
  const reads = new ReadEndpoints({ ...options, connections: readConnections }, readUrl);
  const endpoints = { write: writes, read: reads };
  return {
    transaction: (work, transactionOptions = {}) => transact(writes, work, transactionOptions),
    reader: reads,
    replicas: reads.servers,
    writer: writes,
    snapshot: (name, work, snapshotOptions = {}) => snapshot(endpoints[name], work, snapshotOptions),
    responds: (name) => (name === "read" ? anyIsOk(reads.servers, "SELECT 1 AS ok") : anyIsOk([writes], takesWrites)),
    pools: () => [writes.load, reads.load],
    async close() {
      await Promise.all([writes.close(), reads.close()]);
    },
  };
}

// All at once: a frozen server must not hide one that responds.
function anyIsOk(servers: readonly Endpoint[], sql: string): Promise<boolean> {
  const asked = servers.map((server) => server.query<{ readonly ok: number }>(sql));
  return Promise.any(asked).then(
    ([row]) => row?.ok === 1,
    () => false,
  );
}
