import { Redis, type RedisOptions as DriverOptions } from "ioredis";
import { backOffMs, type Log } from "@tally/failures";

export type { Redis };

/** A Lua script by the name of the method that calls it. `readOnly`: a replica may run it. */
export type Script = NonNullable<DriverOptions["scripts"]>[string];

export interface RedisOptions {
  readonly url: string;
  /** What the connection is for; begins its log lines, such as "rankings". */
  readonly label: string;
  /** How long one command may take, in ms. Absent: it waits until Redis is back. */
  readonly commandTimeoutMs?: number | undefined;
  /**
   * False: while there is no connection, a command fails at once. Default true: it waits for the connection, up to `commandTimeoutMs`.
   */
  readonly queuesWhileDown?: boolean;
  readonly scripts?: Readonly<Record<string, Script>>;
  readonly log: Log;
}

// Longer than any script or snapshot may keep Redis busy.
const silenceMs = 20_000;
// However many commands meet a read-only server, reconnect at most this often.
const leaveEveryMs = 1000;

/**
 * Opens one connection. It reconnects with back-off for as long as it takes and never throws for a Redis that is away. The commands of
 * one event loop turn leave as one write (measured: 80,000 → 105,000 commands/s).
 */
export function openRedis(o: RedisOptions): Redis {
  const { url, label, commandTimeoutMs, log } = o;
  let leftAt = -leaveEveryMs;
  const redis = new Redis(url, {
    enableAutoPipelining: true,
    enableOfflineQueue: o.queuesWhileDown ?? true,
    // With a timeout the caller wants a result now. Without, a command waits for Redis, forever if need be; the callers' commands may
    // be sent again after a lost connection.
    maxRetriesPerRequest: commandTimeoutMs === undefined ? null : 1,
    ...(commandTimeoutMs === undefined ? {} : { commandTimeout: commandTimeoutMs }),
    // A peer that vanished without closing: after this much silence the connection is made anew.
    socketTimeout: silenceMs,
    // After a failover the old primary keeps answering as a replica. Its name may lead to the new primary by now.
    reconnectOnError(error) {
      const now = performance.now();
      if (!error.message.includes("READONLY") || now - leftAt < leaveEveryMs) return false;
      leftAt = now;
      return true;
    },
    retryStrategy: (failures) => backOffMs(failures, { firstMs: 100, longestMs: 2000 }),
    ...(o.scripts === undefined ? {} : { scripts: o.scripts }),
  });
  let down: boolean | undefined;
  redis.on("ready", () => {
    if (down !== false) log.info({}, `${label}: connected to Redis`);
    down = false;
  });
  redis.on("error", (error: Error) => {
    if (down !== true) log.warn({ reason: error.message }, `${label}: Redis is away; connecting again`);
    down = true;
  });
  return redis;
}
