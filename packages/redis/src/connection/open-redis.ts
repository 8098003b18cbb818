import { backOffMs, Outage, type Log } from "@tally/runtime";
import { Redis as Driver, type RedisCommander, type RedisOptions as DriverOptions } from "ioredis";
import { clusterAddressOf } from "./cluster-address.ts";
import { Connector } from "./connector.ts";
import { openCluster } from "./open-cluster.ts";

/** A Lua script by the name of the method that calls it. `readOnly`: a replica may run it. */
interface Script {
  readonly lua: string;
  readonly numberOfKeys?: number;
  readonly readOnly?: boolean;
}

/** Of every connection, to a single server or to a node. */
export type ConnectionOptions = Pick<
  DriverOptions,
  "socketTimeout" | "commandTimeout" | "maxRetriesPerRequest" | "Connector"
>;

/** The commands of a single server or of a cluster. In a cluster all keys of one command are in one hash slot. */
export interface Redis extends RedisCommander<{ type: "default"; mapping: "resp2" }> {
  /** "ready": connected; in a cluster, to any of its nodes. */
  readonly status: string;
  on(event: "ready", listener: () => void): unknown;
  once(event: "ready", listener: () => void): unknown;
  /** Closes the connections for good. */
  disconnect(): void;
}

export interface RedisOptions {
  /** redis:// or rediss:// of a single server; redis+cluster:// or rediss+cluster:// of some nodes of a cluster, with commas between. */
  readonly url: string;
  /** What the connection is for, such as "rankings"; part of its log lines. */
  readonly label: string;
  /** How long one command may take, in ms. Absent: it waits until Redis is back. */
  readonly commandTimeoutMs?: number | undefined;
  /**
   * False: without a connection, a command fails at once. Default true: it waits for the connection, up to `commandTimeoutMs`. A cluster
   * that is connected waits in both cases while a single node is away.
   */
  readonly queuesWhileDown?: boolean;
  readonly scripts?: Readonly<Record<string, Script>>;
  readonly log: Log;
}

// Longer than any script or snapshot may keep Redis busy.
const silenceMs = 20_000;
// When commands meet a read-only server, reconnect at most this often.
const leaveEveryMs = 1000;

/** Reconnects with back-off forever, without an exception. */
export function openRedis(options: RedisOptions): Redis {
  const cluster = clusterAddressOf(options.url);
  const shared: ConnectionOptions = {
    // With a timeout, fail soon. Without, wait for Redis, forever if necessary; commands may be sent again after a lost connection.
    maxRetriesPerRequest: options.commandTimeoutMs === undefined ? null : 1,
    ...(options.commandTimeoutMs === undefined ? {} : { commandTimeout: options.commandTimeoutMs }),
    // For a peer that vanished without closing: reconnect after this much silence.
    socketTimeout: silenceMs,
    Connector,
  };
  return cluster === undefined ? openServer(options, shared) : openCluster(cluster, options, shared);
}

/** Sends the commands of a turn as one write (80,000 → 105,000 commands/s). */
function openServer({ url, label, log, ...options }: RedisOptions, shared: ConnectionOptions): Redis {
  let leftAt = -leaveEveryMs;
  const redis = new Driver(url, {
    ...shared,
    enableAutoPipelining: true,
    enableOfflineQueue: options.queuesWhileDown ?? true,
    // After a failover the old primary still responds, as a replica. By then its name may resolve to the new primary.
    reconnectOnError(error) {
      const now = performance.now();
      if (!error.message.includes("READONLY") || now - leftAt < leaveEveryMs) return false;
      leftAt = now;
      return true;
    },
    retryStrategy: (failures) => backOffMs(failures, "unavailable"),
    ...(options.scripts === undefined ? {} : { scripts: options.scripts }),
  });
  const outage = new Outage(log, `connect to Redis (${label})`);
  redis.once("ready", () => log.info({}, `connected to Redis (${label})`));
  redis.on("ready", () => outage.worked());
  redis.on("error", (error: Error) => outage.failed(error));
  return redis;
}
