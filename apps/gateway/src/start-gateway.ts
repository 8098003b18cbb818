import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connectDatabase } from "@tally/database";
import { domains as allDomains, servedDomains } from "@tally/domains";
import { connectHeartbeats, Progress, StatusReader, watchReplicas, openTracer } from "@tally/telemetry";
import { connectPublisher } from "@tally/broker";
import { queuesOf } from "@tally/contract";
import { connectRankings } from "@tally/redis";
import { recentProblems, startHealthServer, type Logger } from "@tally/runtime";
import type { FastifyInstance } from "fastify";
import { forbidOpenToOthers, openAdmission } from "./admission/open-admission.ts";
import type { GatewayConfig } from "./config.ts";
import { catalogue } from "./errors/catalogue.ts";
import { errorKeysOf } from "./errors/refuse.ts";
import { gatewayMetrics, type GatewayMetrics } from "./gateway-metrics.ts";
import { buildServer } from "./http/build-server.ts";
import { ResponseTimes } from "./http/connection/response-times.ts";
import { responseBudget } from "./http/responses/response-budget.ts";
import { addReference } from "./http/reference/add-reference.ts";
import { addDomainRoutes, mountsOf } from "./http/routes/domain-routes.ts";
import { addEventRoute } from "./http/routes/event-route.ts";
import { addHealthRoute } from "./http/routes/health-route.ts";
import { requestTraces } from "./ingest/event-traces.ts";
import { openIntake, type Intake } from "./ingest/intake.ts";
import { KeyMemory } from "./keys/key-memory.ts";
import { addLiveRoute } from "./live/live-route.ts";
import { Watchables } from "./live/watchables.ts";
import { addDeadLetterRoutes } from "./operate/dead-letter-routes.ts";
import { addPageRoutes } from "./operate/page-routes.ts";
import { addStatusRoutes } from "./operate/status-routes.ts";
import { serveDomain } from "./serve-domain.ts";

/** A gateway that listens. */
export interface Gateway {
  readonly port: number;
  /** After `drainMs`: accepts no new requests, responds to those under way, closes every connection. */
  stop(): Promise<void>;
}

/**
 * Connects to the servers, mounts the domains that it serves, and listens. Resolves when the broker is reached or `stopAsked` fires. Without the broker,
 * events get 503, and /health/ready on the operator port reports it.
 *
 * `newIntake` composes a gateway with another intake: how the events of a domain are kept before they get their 2xx.
 */
export async function startGateway(
  config: GatewayConfig,
  log: Logger,
  stopAsked: AbortSignal,
  newIntake: typeof openIntake = openIntake,
): Promise<Gateway> {
  forbidOpenToOthers(config);
  const metrics = gatewayMetrics({
    waiting: () => intakes.map(({ domain, commit }) => ({ domain: domain.name, events: commit.waiting })),
    pools: () => database.pools(),
    status: () => status.read(),
  });
  const times = new ResponseTimes();
  const { database, rankings, publisher, keyMemory, heartbeats } = connectServers(config, log, metrics);
  const { namespace } = config;
  const domains = servedDomains(config.domains);
  const status = new StatusReader({ database, publisher, heartbeats, namespace, domains: config.domains });
  const admission = await openAdmission(config, database.writer, log);
  const stopWatch = watchReplicas(database, config.domains, config.replicaLagMaxMs);
  const progress = new Progress();
  const tracer = await openTracer({ app: "gateway", endpoint: config.otlpEndpoint, log });
  const servers = { config, publisher, database, rankings, metrics, progress, tracer };
  const intakes: readonly Intake[] = domains.map((domain) => newIntake(domain, servers));

  const mounts = mountsOf(config.basePaths);
  const app = await buildServer(config, {
    log,
    admission,
    errorKeyOf: errorKeysOf(domains, mounts),
    onRefused: (code) => metrics.refusals.inc({ status: String(catalogue[code][0]), code }),
    onConnectionRefused: (limit) => metrics.connectionsRefused.inc({ limit }),
    times,
  });
  const watchables = new Watchables(app);
  let stopping = false;
  const health = await startHealthServer({
    port: config.healthPort,
    host: config.host,
    live: () => ({ process: { ok: true } }),
    metrics: async () => `${await metrics.registry.metrics()}\n${times.text()}`,
    // Only the broker and the phase decide: without the other servers the gateway still accepts events.
    async ready() {
      const [{ write, read }, redis] = await Promise.all([database.ping(), rankings.ping()]);
      // This port opens before the public one. A gateway that clients cannot reach yet is not ready.
      const phase = stopping ? "stopping" : app.server.listening ? "serving" : "starting";
      const isServing = phase === "serving";
      const { ring } = admission;
      return {
        broker: { ok: publisher.state === "up" && isServing, detail: isServing ? publisher.state : phase },
        databaseRead: { ok: true, detail: read ? "up" : "down" },
        databaseWrite: { ok: true, detail: write ? "up" : "down" },
        redis: { ok: true, detail: redis ? "up" : "down" },
        ...(ring && { keys: { ok: ring.isKnown, detail: ring.isKnown ? `${ring.size} keys` : "not read yet" } }),
      };
    },
  });

  addReference(app, mounts);
  addHealthRoute(app, () => stopping);
  const hasRoom = responseBudget({ bytesMax: config.bodiesBytesMax, perAddressMax: config.bodiesBytesPerAddressMax });
  const traceOf = requestTraces(tracer, config.traceOneIn);
  const served = intakes.map((intake) => serveDomain(intake, { ...servers, keyMemory, hasRoom, traceOf }));
  for (const mount of mounts) {
    addEventRoute(app, mount.prefix, domains, servers);
    for (const domain of served) addDomainRoutes(app, mount, domain);
  }
  const operation = addOperation(app, config, { database, publisher, status, log });
  addLiveRoute(app, {
    watchables,
    check: admission.check,
    max: config.streamsMax,
    perAddressMax: config.streamsPerAddressMax,
    onSlow: () => metrics.slowStreams.inc(),
  });
  heartbeats.start("gateway", () => ({
    threads: [],
    reports: [{ thread: null, report: { ...progress.report(), held: [], problems: recentProblems(log) } }],
  }));

  await keyMemory.ready();
  await app.listen({ port: config.port, host: config.host });
  const address = app.server.address();
  const port = typeof address === "object" && address !== null ? address.port : config.port;
  log.info({ host: config.host, port }, "gateway: listening");
  if (!stopAsked.aborted) await Promise.race([publisher.ready, once(stopAsked, "abort")]);

  return {
    port,
    async stop() {
      stopping = true;
      await delay(config.drainMs);
      // Requests under way still need their confirms.
      await app.close();
      await Promise.all(intakes.map((intake) => intake.close()));
      await publisher.close();
      await tracer.close();
      keyMemory.close();
      stopWatch();
      await admission.close();
      await Promise.all([rankings.close(), database.close(), operation.close(), heartbeats.stop()]);
      await health.close();
    },
  };
}

function connectServers(config: GatewayConfig, log: Logger, metrics: GatewayMetrics) {
  const domains = servedDomains(config.domains);
  const database = connectDatabase({
    writeUrl: config.databaseWriteUrl,
    readUrl: config.databaseReadUrl,
    writeConnections: 4,
    readConnections: 8,
    queryTimeoutMs: config.queryWithinMs,
    log,
    onSession: metrics.waitedForSession,
  });
  const rankings = connectRankings({
    url: config.redisUrl,
    namespace: config.namespace,
    shards: config.rankingShards,
    domains,
    commandTimeoutMs: config.queryWithinMs,
    log,
  });
  const publisher = connectPublisher({
    url: config.amqpUrl,
    connectionName: "tally gateway",
    queues: domains.flatMap((domain) => Object.values(queuesOf(config.namespace, domain.name))),
    log,
  });
  const keyMemory = new KeyMemory({
    url: config.doorRedisUrl === "" ? config.redisUrl : config.doorRedisUrl,
    namespace: config.namespace,
    rememberedSeconds: config.keysRememberedSeconds,
    log,
  });
  const heartbeats = connectHeartbeats({
    url: config.redisUrl,
    namespace: config.namespace,
    removesDead: true,
    log,
  });
  return { database, rankings, publisher, keyMemory, heartbeats };
}

type Servers = ReturnType<typeof connectServers>;

/** The page, and the routes that it reads besides those of the domains. */
function addOperation(
  app: FastifyInstance,
  config: GatewayConfig,
  { database, publisher, status, log }: Pick<Servers, "database" | "publisher"> & { status: StatusReader; log: Logger },
): { close(): Promise<void> } {
  const { namespace, operatorDatabaseUrl: url, queryWithinMs } = config;
  const operator =
    url === ""
      ? undefined
      : connectDatabase({
          writeUrl: url,
          readUrl: url,
          writeConnections: 1,
          readConnections: 1,
          queryTimeoutMs: queryWithinMs,
          log,
        });
  addStatusRoutes(app, servedDomains(config.domains), status);
  addDeadLetterRoutes(app, {
    reader: database.writer,
    operator,
    publisher,
    namespace,
    domains: config.domains,
    eventVersionOf: (name) => allDomains.find((domain) => domain.name === name)?.eventVersion ?? 1,
    confirmWithinMs: config.confirmWithinMs,
  });
  addPageRoutes(app, fileURLToPath(new URL("../../dashboard/dist/", import.meta.url)));
  return { close: async () => operator?.close() };
}
