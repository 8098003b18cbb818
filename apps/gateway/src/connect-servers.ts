import { KeyRing } from "@tally/access";
import { connectPublisher } from "@tally/broker";
import { queuesOf, type SqlReader } from "@tally/contract";
import { connectDatabase } from "@tally/database";
import { servedDomains } from "@tally/domains";
import { connectRankings } from "@tally/redis";
import { ConfigError, Outage, type Logger } from "@tally/runtime";
import { Activity, connectHeartbeats, openTracer, statusReader, watchReplicas } from "@tally/telemetry";
import { rateLimits, redisBuckets } from "./admission/rate-limits.ts";
import type { GatewayConfig } from "./config.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import { addressesIn } from "./http/connection/client-address.ts";
import { keyMemory } from "./keys/keys.ts";

// With the time of a look at the page, a server that is down is reported within 2 s.
const statusWithinMs = 700;

/** Everything outside this process that the parts of a gateway use. */
export type GatewayServers = Awaited<ReturnType<typeof connectServers>>;

/** Opens the connections. They connect in the background; only the API keys are read once before this resolves. */
export async function connectServers(config: GatewayConfig, log: Logger, metrics: GatewayMetrics) {
  const { namespace, redisUrl } = config;
  const domains = servedDomains(config.domains);
  const { database, operator } = connectDatabases(config, log, metrics);
  const ranked = { url: redisUrl, namespace, shards: config.rankingShards, domains };
  const rankings = connectRankings({ ...ranked, commandTimeoutMs: config.queryWithinMs, log });
  const queues = domains.flatMap((domain) => Object.values(queuesOf(namespace, domain.name)));
  const publisher = connectPublisher({ url: config.amqpUrl, connectionName: "tally gateway", queues, log });
  const doorUrl = config.doorRedisUrl === "" ? redisUrl : config.doorRedisUrl;
  const memory = keyMemory({ url: doorUrl, namespace, rememberedSeconds: config.keysRememberedSeconds, log });
  const heartbeats = connectHeartbeats({ url: redisUrl, namespace, removesDead: true, log });
  const status = statusReader({
    database,
    publisher,
    heartbeats,
    namespace,
    domains: config.domains,
    withinMs: statusWithinMs,
  });
  const admission = await openAdmission(config, doorUrl, database.writer, log);
  const stopWatch = watchReplicas(database, config.domains, config.replicaLagMaxMs);
  const tracer = await openTracer({ app: "gateway", endpoint: config.otlpEndpoint, log });
  const opened = { database, operator, rankings, publisher, keyMemory: memory, heartbeats, status, admission, tracer };
  return {
    ...opened,
    config,
    log,
    domains,
    metrics,
    activity: new Activity(),
    async close(): Promise<void> {
      await publisher.close();
      await tracer.close();
      memory.close();
      stopWatch();
      await admission.close();
      await Promise.all([rankings.close(), database.close(), operator?.close(), heartbeats.stop()]);
    },
  };
}

function connectDatabases(config: GatewayConfig, log: Logger, metrics: GatewayMetrics) {
  const { databaseWriteUrl: writeUrl, databaseReadUrl: readUrl, operatorDatabaseUrl: url } = config;
  const own = { writeUrl, readUrl, writeConnections: 4, readConnections: 8, onSession: metrics.waitedForSession };
  const operators = { writeUrl: url, readUrl: url, writeConnections: 1, readConnections: 1 };
  const always = { queryTimeoutMs: config.queryWithinMs, log };
  return {
    database: connectDatabase({ ...own, ...always }),
    // With an account that may change dead letters and configuration; undefined: they can only be read.
    operator: url === "" ? undefined : connectDatabase({ ...operators, ...always }),
  };
}

/** Opens the keys and limits that the settings enable. `reader` reads the write endpoint. */
async function openAdmission(config: GatewayConfig, url: string, reader: SqlReader, log: Logger) {
  const outage = new Outage(log, "read API keys");
  const ring = config.auth === "off" ? undefined : new KeyRing({ reader, outage });
  const perKey = limitOf(config.rateLimitPerKey, config.rateLimitPerKeyBurst);
  const perAddress = limitOf(config.rateLimitPerAddress, config.rateLimitPerAddressBurst);
  // A key may have its own limit, even without one in the settings.
  const isLimited = ring !== undefined || perAddress !== undefined;
  const redis = isLimited ? redisBuckets({ url, namespace: config.namespace, log }) : undefined;
  const failsOpen = config.rateLimitFails === "open";
  await ring?.start();
  return {
    /** The valid keys; undefined when no keys are required. */
    ring,
    check: ring && ((text: string) => ring.check(text)),
    limits: redis && rateLimits({ buckets: redis.buckets, perKey, perAddress, failsOpen }),
    async close(): Promise<void> {
      redis?.close();
      await ring?.stop();
    },
  };
}

function limitOf(perSecond: number, burst: number) {
  return perSecond === 0 ? undefined : { perSecond, burst };
}

const isLoopback = addressesIn(["127.0.0.0/8", "::1"]);

/** Throws a ConfigError when other machines can reach the gateway without a key, unless that is confirmed. */
export function forbidOpenToOthers({ auth, authOffConfirmed, host }: GatewayConfig): void {
  if (auth === "required" || authOffConfirmed === "yes" || host === "localhost" || isLoopback(host)) return;
  const expected = "required; or off with a HOST on a loopback address, or with AUTH_OFF_CONFIRMED=yes";
  throw new ConfigError([{ variable: "AUTH", expected, got: `off with HOST=${host}` }]);
}
