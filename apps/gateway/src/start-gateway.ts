import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ConfigError, recentProblems, startHealthServer, type HealthServer, type Logger } from "@tally/runtime";
import { clockOffset } from "@tally/telemetry";
import type { FastifyInstance } from "fastify";
import { gatewayLimits, type GatewayConfig, type GatewayLimits, type GatewaySettings } from "./config.ts";
import { connectServers, forbidOpenToOthers, type GatewayServers } from "./connect-servers.ts";
import { catalogue } from "./errors/catalogue.ts";
import { errorKeysOf } from "./errors/reject.ts";
import { gatewayMetrics } from "./gateway-metrics.ts";
import { buildServer } from "./http/build-server.ts";
import { ResponseTimes } from "./http/connection/response-times.ts";
import { listen } from "./http/connection/listen.ts";
import { addCsvLists } from "./http/csv-lists.ts";
import { addReference } from "./http/reference/add-reference.ts";
import { addDomainRoutes, mountsOf } from "./http/routes/domain-routes.ts";
import { addEventRoute, addHealthRoute } from "./http/routes/system-routes.ts";
import { requestTraces } from "./ingest/event-traces.ts";
import { openIntake, type Intake } from "./ingest/intake.ts";
import { addLiveRoute } from "./live/live-route.ts";
import { watchablesOf } from "./live/watchables.ts";
import { addDeadLetterRoutes } from "./operate/dead-letter-routes.ts";
import { addPageRoutes } from "./operate/page-routes.ts";
import { addStatusRoutes } from "./operate/json-routes.ts";
import { serveDomain, type Served } from "./serve-domain.ts";

/** A gateway that listens. */
export interface Gateway {
  readonly port: number;
  /** After `drainMs`: accepts no new requests, responds to those under way, closes every connection. */
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** Composes a gateway with another intake: how the events of a domain are kept before they get their 2xx. */
  readonly newIntake?: typeof openIntake;
  /** For tests. */
  readonly limits?: Partial<GatewayLimits>;
}

type Phase = "starting" | "serving" | "stopping";

/** Connects to the servers, mounts the domains that it serves, and listens. Resolves when the broker is reached or
 * `stopAsked` fires. Without the broker, events get 503, and /health/ready on the operator port reports it. */
export async function startGateway(
  settings: GatewaySettings,
  log: Logger,
  stopAsked: AbortSignal,
  { newIntake = openIntake, limits }: GatewayOptions = {},
): Promise<Gateway> {
  const config: GatewayConfig = { ...gatewayLimits, ...settings, ...limits };
  forbidOpenToOthers(config);
  let phase: Phase = "starting";
  const intakes: Intake[] = [];
  const metrics = gatewayMetrics({
    waiting: () => intakes.map(({ domain, commit }) => ({ domain: domain.name, events: commit.waiting })),
    pools: () => servers.database.pools(),
    status: () => servers.status.read(),
  });
  const times = new ResponseTimes();

  const servers = await connectServers(config, log, metrics);
  for (const domain of servers.domains) intakes.push(newIntake(domain, servers));
  const app = await buildApp(servers, intakes, times, () => phase === "stopping");
  const operatorPort = await openOperatorPort(servers, times, () => phase);
  const report = () => ({
    threads: [],
    reports: [{ thread: null, report: { ...servers.activity.report(), held: [], problems: recentProblems(log) } }],
  });
  servers.heartbeats.start("gateway", report, clockOffset(servers.database.writer, log, metrics.registry));

  await servers.keyMemory.ready();
  const port = await listen(app, config);
  phase = "serving";
  log.info({ host: config.host, port }, "gateway: listening");
  if (!stopAsked.aborted) await Promise.race([servers.publisher.ready, once(stopAsked, "abort")]);

  return {
    port,
    async stop() {
      phase = "stopping";
      await delay(config.drainMs);
      // Requests under way still need their confirms.
      await app.close();
      await Promise.all(intakes.map((intake) => intake.close()));
      await servers.close();
      await operatorPort.close();
    },
  };
}

/** The public HTTP server with all routes. It does not listen yet. */
async function buildApp(
  servers: GatewayServers,
  intakes: readonly Intake[],
  times: ResponseTimes,
  isStopping: () => boolean,
): Promise<FastifyInstance> {
  const { config, log, domains, metrics, admission, tracer } = servers;
  const mounts = mountsOf(config.basePaths);
  const app = await buildServer(config, {
    log,
    admission,
    errorKeyOf: errorKeysOf(domains, mounts),
    onRejected: (code) => metrics.rejections.inc({ status: String(catalogue[code][0]), code }),
    onConnectionRejected: (limit) => metrics.connectionsRejected.inc({ limit }),
    times,
  });
  const watchables = watchablesOf(app);
  addCsvLists(app);
  addReference(app);
  addHealthRoute(app, isStopping);

  const traceOf = requestTraces(tracer, config.traceOneIn);
  const served = intakes.map((intake) => serveDomain(intake, servers, traceOf));
  await checkSettings(served, log);
  for (const mount of mounts) {
    addEventRoute(app, mount.prefix, domains, servers);
    for (const domain of served) addDomainRoutes(app, mount, domain);
  }
  addStatusRoutes(app, domains, servers.status);
  addDeadLetterRoutes(app, servers);
  addPageRoutes(app, fileURLToPath(new URL("../../dashboard/dist/", import.meta.url)));
  addLiveRoute(app, {
    watchables,
    check: admission.check,
    max: config.streamsMax,
    perAddressMax: Math.ceil(config.streamsMax * config.streamsShare),
    onSlow: () => metrics.slowStreams.inc(),
  });
  return app;
}

const settingsWithinMs = 1000;

/** Throws a ConfigError if a setting contradicts stored rows. Accepts all settings if the database does not respond. */
async function checkSettings(served: readonly Served[], log: Logger): Promise<void> {
  for (const { domain, sources } of served) {
    const late = delay(settingsWithinMs, undefined, { ref: false }).then(() => {
      throw new Error(`the database did not respond within ${settingsWithinMs} ms`);
    });
    const problem = await Promise.race([domain.settingProblem?.(sources), late]).catch((error: unknown) => {
      log.warn({ err: error }, "cannot compare settings with the database: CURRENCY is not checked");
      return undefined;
    });
    if (problem !== undefined) throw new ConfigError([problem]);
  }
}

/** /health and /metrics. This port opens before the public one: a gateway that clients cannot reach is not ready. */
function openOperatorPort(
  { config, metrics, database, rankings, publisher, admission: { ring } }: GatewayServers,
  times: ResponseTimes,
  phaseOf: () => Phase,
): Promise<HealthServer> {
  const upOrDown = (isUp: boolean) => ({ ok: true, detail: isUp ? "up" : "down" });
  return startHealthServer({
    port: config.healthPort,
    host: config.host,
    metrics: async () => `${await metrics.registry.metrics()}\n${times.text()}`,
    // Only the broker and the phase decide: without the other servers the gateway still accepts events.
    async ready() {
      const databases = [database.responds("write"), database.responds("read")] as const;
      const [write, read, redis] = await Promise.all([...databases, rankings.ping()]);
      const phase = phaseOf();
      const isServing = phase === "serving";
      return {
        broker: { ok: publisher.state === "up" && isServing, detail: isServing ? publisher.state : phase },
        databaseRead: upOrDown(read),
        databaseWrite: upOrDown(write),
        redis: upOrDown(redis),
        ...(ring && { keys: { ok: ring.isKnown, detail: ring.isKnown ? `${ring.size} keys` : "not read yet" } }),
      };
    },
  });
}
