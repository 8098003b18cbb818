import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Log, backOffMs, Outage } from "@tally/runtime";
import { AbstractConnector, type RedisCommander, type RedisOptions as DriverOptions, Redis as Driver } from "ioredis";
import { clusterAddressOf, openCluster } from "./cluster.ts";

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
  /**
   * redis:// or rediss:// of a single server; redis+cluster:// or rediss+cluster:// of nodes of a cluster, with commas
   * between.
   */
  readonly url: string;
  /** What the connection is for, such as "rankings"; part of its log lines. */
  readonly label: string;
  /** How long one command may take, in ms. Absent: it waits until Redis is back. */
  readonly commandTimeoutMs?: number | undefined;
  /**
   * False: without a connection, a command fails at once. Default true: it waits for the connection, up to
   * `commandTimeoutMs`. A cluster that is connected waits in both cases while a single node is away.
   */
  readonly queuesWhileDown?: boolean;
  /** Lua scripts by the names of the methods that call them. They are sent by their hash (EVALSHA). */
  readonly scripts?: Readonly<Record<string, { readonly lua: string; readonly numberOfKeys?: number }>>;
  readonly log: Log;
}

/** The options of every connection, to a single server or to a node. */
export type ConnectionOptions = Pick<
  DriverOptions,
  "socketTimeout" | "commandTimeout" | "maxRetriesPerRequest" | "Connector"
>;

/**
 * Opens the sockets of ioredis as its own connector does, and listens for their errors as long as they exist. ioredis
 * listens for the first one only. A TLS socket can have two: its certificate is not trusted, and the server's next
 * bytes are not TLS. The second one would end the process.
 */
class Connector extends AbstractConnector {
  readonly #options: DriverOptions;

  constructor(given: unknown) {
    // ioredis gives the options of the connection, with its defaults.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const options = given as DriverOptions;
    super(options.disconnectTimeout ?? 0);
    this.#options = options;
  }

  override connect(): Promise<Socket> {
    const { host = "localhost", port = 6379, family = 0, tls } = this.#options;
    const address = { host, port, family };
    this.connecting = true;
    const socket = tls === undefined ? connectTcp(address) : connectTls({ ...address, ...tls });
    socket.on("error", (error) => (this.firstError = error));
    this.stream = socket;
    return Promise.resolve(socket);
  }
}

// Longer than any script or snapshot may keep Redis busy.
const silenceMs = 20_000;
// When commands meet a read-only server, reconnect at most this often.
const leaveEveryMs = 1000;

/** Reconnects with back-off forever, without an exception. */
export function openRedis(options: RedisOptions): Redis {
  const cluster = clusterAddressOf(options.url);
  const shared: ConnectionOptions = {
    // With a timeout, fail soon. Without, wait for Redis, forever if necessary; commands may be sent again after a lost
    // connection.
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
