import { connectPublisher } from "@tally/broker";
import { queuesOf, type Domain } from "@tally/contract";
import { connectDatabase, type Database } from "@tally/database";
import { servedDomains } from "@tally/domains";
import { connectRankings } from "@tally/redis";
import type { Logger } from "@tally/runtime";
import { connectHeartbeats, openTracer, Progress, StatusReader, watchReplicas } from "@tally/telemetry";
import { openAdmission, type Admission } from "./admission/open-admission.ts";
import type { GatewayConfig } from "./config.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import type { IntakeServers } from "./ingest/intake.ts";
import { KeyMemory } from "./keys/keys.ts";

/** Everything outside this process that the parts of a gateway use. */
export interface GatewayServers extends IntakeServers {
  readonly log: Logger;
  readonly domains: readonly Domain[];
  /** With an account that may change dead letters; undefined: they can only be read. */
  readonly operator: Database | undefined;
  readonly keyMemory: KeyMemory;
  readonly heartbeats: ReturnType<typeof connectHeartbeats>;
  readonly status: StatusReader;
  readonly admission: Admission;
  close(): Promise<void>;
}

/** Opens the connections. They connect in the background; only the API keys are read once before this resolves. */
export async function connectServers(
  config: GatewayConfig,
  log: Logger,
  metrics: GatewayMetrics,
): Promise<GatewayServers> {
  const { namespace, redisUrl, queryWithinMs } = config;
  const domains = servedDomains(config.domains);
  const { database, operator } = connectDatabases(config, log, metrics);
  const rankings = connectRankings({
    url: redisUrl,
    namespace,
    shards: config.rankingShards,
    domains,
    commandTimeoutMs: queryWithinMs,
    log,
  });
  const publisher = connectPublisher({
    url: config.amqpUrl,
    connectionName: "tally gateway",
    queues: domains.flatMap((domain) => Object.values(queuesOf(namespace, domain.name))),
    log,
  });
  const doorUrl = config.doorRedisUrl === "" ? redisUrl : config.doorRedisUrl;
  const keyMemory = new KeyMemory({ url: doorUrl, namespace, rememberedSeconds: config.keysRememberedSeconds, log });
  const heartbeats = connectHeartbeats({ url: redisUrl, namespace, removesDead: true, log });
  const status = new StatusReader({ database, publisher, heartbeats, namespace, domains: config.domains });
  const admission = await openAdmission(config, database.writer, log);
  const stopWatch = watchReplicas(database, config.domains, config.replicaLagMaxMs);
  const tracer = await openTracer({ app: "gateway", endpoint: config.otlpEndpoint, log });
  return {
    config,
    log,
    domains,
    database,
    operator,
    rankings,
    publisher,
    keyMemory,
    heartbeats,
    status,
    admission,
    metrics,
    progress: new Progress(),
    tracer,
    async close() {
      await publisher.close();
      await tracer.close();
      keyMemory.close();
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
    operator: url === "" ? undefined : connectDatabase({ ...operators, ...always }),
  };
}
