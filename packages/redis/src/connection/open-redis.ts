import { backOffMs, Outage } from "@tally/runtime";
import { Redis as Driver } from "ioredis";
import { clusterAddressOf, openCluster } from "./cluster.ts";
import { tls, type ConnectionOptions, type Redis, type RedisOptions } from "./redis.ts";

// Longer than any script or snapshot may keep Redis busy.
const silenceMs = 20_000;
// When commands meet a read-only server, reconnect at most this often.
const leaveEveryMs = 1000;

/** Reconnects with back-off forever, without an exception. */
export function openRedis(options: RedisOptions): Redis {
  const cluster = clusterAddressOf(options.url);
  const { commandTimeoutMs: commandTimeout } = options;
  const shared: ConnectionOptions = {
    // Without a timeout commands wait for Redis, forever if necessary, and may be sent again.
    ...(commandTimeout === undefined ? { maxRetriesPerRequest: null } : { maxRetriesPerRequest: 1, commandTimeout }),
    // Reconnects when a peer vanished without closing.
    socketTimeout: silenceMs,
  };
  return cluster === undefined ? openServer(options, shared) : openCluster(cluster, options, shared);
}

/** Sends the commands of a turn as one write (80,000 → 105,000 commands/s). */
function openServer({ url, label, log, ...options }: RedisOptions, shared: ConnectionOptions): Redis {
  let leftAt = -leaveEveryMs;
  const redis = new Driver(url, {
    ...shared,
    ...(url.startsWith("rediss:") && { tls }),
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
