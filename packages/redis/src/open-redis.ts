import { backOffMs, Outage, type Log } from "@tally/failures";
import { Redis, type RedisOptions as DriverOptions } from "ioredis";

export type { Redis };

/** A Lua script by the name of the method that calls it. `readOnly`: a replica may run it. */
type Script = NonNullable<DriverOptions["scripts"]>[string];

export interface RedisOptions {
  readonly url: string;
  /** What the connection is for, such as "rankings"; part of its log lines. */
  readonly label: string;
  /** How long one command may take, in ms. Absent: it waits until Redis is back. */
  readonly commandTimeoutMs?: number | undefined;
  /** False: without a connection, a command fails at once. Default true: it waits for the connection, up to `commandTimeoutMs`. */
  readonly queuesWhileDown?: boolean;
  readonly scripts?: Readonly<Record<string, Script>>;
  readonly log: Log;
}

// Longer than any script or snapshot may keep Redis busy.
const silenceMs = 20_000;
// When commands meet a read-only server, reconnect at most this often.
const leaveEveryMs = 1000;

/** Reconnects with back-off forever, without an exception. Sends the commands of a turn as one write (80,000 → 105,000 commands/s). */
export function openRedis(options: RedisOptions): Redis {
  const { url, label, commandTimeoutMs, log } = options;
  let leftAt = -leaveEveryMs;
  const redis = new Redis(url, {
    enableAutoPipelining: true,
    enableOfflineQueue: options.queuesWhileDown ?? true,
    // With a timeout, fail soon. Without, wait for Redis, forever if necessary; commands may be sent again after a lost connection.
    maxRetriesPerRequest: commandTimeoutMs === undefined ? null : 1,
    ...(commandTimeoutMs === undefined ? {} : { commandTimeout: commandTimeoutMs }),
    // For a peer that vanished without closing: reconnect after this much silence.
    socketTimeout: silenceMs,
    // After a failover the old primary still responds, as a replica. By then its name may resolve to the new primary.
    reconnectOnError(error) {
      const now = performance.now();
      if (!error.message.includes("READONLY") || now - leftAt < leaveEveryMs) return false;
      leftAt = now;
      return true;
    },
    retryStrategy: (failures) => backOffMs(failures, { firstMs: 100, longestMs: 2000 }),
    ...(options.scripts === undefined ? {} : { scripts: options.scripts }),
  });
  const outage = new Outage(log, `connect to Redis (${label})`);
  redis.once("ready", () => log.info({}, `connected to Redis (${label})`));
  redis.on("ready", () => outage.worked());
  redis.on("error", (error: Error) => outage.failed(error));
  return redis;
}
