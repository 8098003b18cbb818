import { once } from "node:events";
import { connectDatabase } from "@tally/database";
import { domains } from "@tally/domains";
import { connectPublisher } from "@tally/messaging";
import { queuesOf, type Sources } from "@tally/pipeline";
import { connectRankings } from "@tally/rankings";
import { startHealthServer, type Logger } from "@tally/service";
import { addAdmission } from "./admission/admission.ts";
import { forbidOpenToOthers } from "./admission/open-to-others.ts";
import { openAdmission } from "./admission/open-admission.ts";
import type { GatewayConfig } from "./config.ts";
import { gatewayMetrics } from "./gateway-metrics.ts";
import { answerBudget } from "./http/responses/response-budget.ts";
import { ByteBudget } from "./http/body/byte-budget.ts";
import { addressesIn } from "./http/connection/client-address.ts";
import { limitConnections } from "./http/connection/connection-limits.ts";
import { addDomainRoutes, type Mount, type Served } from "./http/routes/domain-routes.ts";
import { Finder } from "./find/finder.ts";
import { errorKeysOf } from "./errors/error-keys.ts";
import { GroupReads } from "./read/group-reads.ts";
import { addEventRoute } from "./http/routes/event-route.ts";
import { addLiveRoute } from "./http/routes/live-route.ts";
import { buildServer } from "./http/build-server.ts";
import { DomainKeys } from "./keys/domain-keys.ts";
import { KeyMemory } from "./keys/key-memory.ts";
import { openIntake, type Intake } from "./ingest/intake.ts";

// Requests that may wait for what is accepted and not stored yet, in each domain: ids can be made up, and each such waits.
const findersWaitingMax = 5000;
// Requests that may wait for rows of one kind: those of one server's clients, and not of a flood.
const readersWaitingMax = 5000;

/** A gateway that listens. */
export interface Gateway {
  readonly port: number;
  /** Takes no more requests, answers those in hand, closes every connection. */
  stop(): Promise<void>;
}

/**
 * Connects to everything, mounts all domains and listens. Resolves when the broker was reached; until then, and whenever it is
 * away, requests get 503 and /health/ready on the operator port says so. `stopAsked` ends the waiting.
 */
export async function startGateway(config: GatewayConfig, log: Logger, stopAsked: AbortSignal): Promise<Gateway> {
  forbidOpenToOthers(config);
  const metrics = gatewayMetrics(() =>
    intakes.map(({ domain, commit }) => ({ domain: domain.name, events: commit.waiting })),
  );
  const { database, rankings, publisher, keyMemory } = connectServers(config, log);
  const admission = await openAdmission(config, database.writer, log);
  const intakes: readonly Intake[] = domains.map((domain) => openIntake(domain, { config, publisher, metrics }));

  const mounts = mountsOf(config.basePaths);
  const isProxy = addressesIn(config.trustProxy);
  const { bodiesBytesMax, bodiesBytesPerAddressMax } = config;
  const app = buildServer({
    log,
    bodyBytesMax: config.bodyBytesMax,
    headersWithinMs: config.headersWithinMs,
    bodyWithinMs: config.bodyWithinMs,
    bodies: new ByteBudget(bodiesBytesMax, bodiesBytesPerAddressMax),
    isProxy,
    // A second more, for all that is not waiting; and a stop comes to its end whatever is configured.
    answeredWithinMs: Math.min(
      Math.max(config.confirmWithinMs, config.queryWithinMs) + config.foundWithinMs + 1000,
      config.stopWithinMs * 0.8,
    ),
    onRefused: (status) => metrics.refusals.inc({ status: String(status) }),
    errorKeyOf: errorKeysOf(
      domains,
      mounts.map(({ prefix }) => prefix),
    ),
  });
  limitConnections(app.server, {
    max: config.connectionsMax,
    perAddressMax: config.connectionsPerAddressMax,
    isProxy,
    onRefused: (limit) => metrics.connectionsRefused.inc({ limit }),
  });
  addAdmission(app, admission);
  let stopping = false;
  addLiveRoute(app);
  const health = await startHealthServer({
    port: config.healthPort,
    host: config.healthHost,
    keptMs: config.healthKeptMs,
    live: () => ({ process: { ok: true } }),
    metrics: () => metrics.registry.metrics(),
    async ready() {
      const [{ write, read }, redis] = await Promise.all([database.ping(), rankings.ping()]);
      // This port opens before the public one: a gateway that nobody can reach yet is not ready.
      const phase = stopping ? "stopping" : app.server.listening ? "serving" : "starting";
      return {
        // The only check that decides: without the others the gateway still takes events in.
        broker: {
          ok: publisher.state === "up" && phase === "serving",
          detail: phase === "serving" ? publisher.state : phase,
        },
        databaseRead: { ok: true, detail: read ? "up" : "down" },
        databaseWrite: { ok: true, detail: write ? "up" : "down" },
        redis: { ok: true, detail: redis ? "up" : "down" },
        ...(admission.ring && {
          keys: {
            ok: admission.ring.isKnown,
            detail: admission.ring.isKnown ? `${admission.ring.size} keys` : "not read yet",
          },
        }),
      };
    },
  });
  const forms = { partBytesMax: config.formPartBytesMax };
  const bulk = { bodyBytesMax: config.bulkBytesMax, entryBytesMax: config.bodyBytesMax };
  const hasRoom = answerBudget({ bytesMax: bodiesBytesMax, perAddressMax: bodiesBytesPerAddressMax });
  const served = intakes.map(({ domain, commit }): Served => {
    const groupReads = (endpoint: "read" | "write"): GroupReads =>
      new GroupReads({
        reader: endpoint === "read" ? database.reader : database.writer,
        waitingMax: readersWaitingMax,
        waitMs: config.queryWithinMs,
        onStatement: (keys) => metrics.readKeys.observe({ domain: domain.name, endpoint }, keys),
      });
    const keys = new DomainKeys(domain, keyMemory, database.writer, (state) =>
      metrics.keys.inc({ domain: domain.name, state }),
    );
    const read = groupReads("read");
    const finder = new Finder({
      read,
      write: groupReads("write"),
      writer: database.writer,
      recentBytesMax: config.recentBytesMax,
      waitMs: config.foundWithinMs,
      waitersMax: findersWaitingMax,
      onFind: (where) => metrics.found.inc({ domain: domain.name, where }),
    });
    const sources: Sources = {
      rows: database.reader,
      read: (what, key) => read.read(what, key),
      boards: {
        top: (board, limit) => rankings.top(domain.name, board, limit),
        count: (board, member) => rankings.count(domain.name, board, member),
      },
      find: (lookup, id, acceptedAtMs) => finder.find(lookup, id, acceptedAtMs),
    };
    return { domain, commit, keys, finder, sources, forms, bulk, hasRoom };
  });
  for (const mount of mounts) {
    addEventRoute(app, mount.prefix, {
      domains,
      reader: database.reader,
      writer: database.writer,
      isApplied: (domain, batch) => rankings.isApplied(domain, batch),
    });
    for (const one of served) addDomainRoutes(app, mount, one);
  }
  await keyMemory.ready();
  await app.listen({ port: config.port, host: config.host });
  await Promise.race([publisher.ready, once(stopAsked, "abort")]);
  const address = app.server.address();

  return {
    port: typeof address === "object" && address !== null ? address.port : config.port,
    async stop() {
      stopping = true;
      // Answers what is in hand; each answer still needs its confirm.
      await app.close();
      await Promise.all(intakes.map((intake) => intake.close()));
      await publisher.close();
      keyMemory.close();
      await admission.close();
      await Promise.all([rankings.close(), database.close()]);
      await health.close();
    },
  };
}

function connectServers(config: GatewayConfig, log: Logger) {
  const database = connectDatabase({
    writeUrl: config.databaseWriteUrl,
    readUrl: config.databaseReadUrl,
    writeConnections: 4,
    readConnections: 8,
    queryTimeoutMs: config.queryWithinMs,
    log,
  });
  const rankings = connectRankings({
    url: config.redisUrl,
    namespace: config.namespace,
    shards: config.rankingShards,
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
  return { database, rankings, publisher, keyMemory };
}

function mountsOf(basePaths: readonly string[]): readonly Mount[] {
  const prefixes = new Set(basePaths.map((path) => `/${path.replaceAll(/^\/+|\/+$/g, "")}`));
  const rootIsBasePath = prefixes.delete("/");
  return [
    { prefix: "", isBasePath: rootIsBasePath },
    ...Array.from(prefixes, (prefix) => ({ prefix, isBasePath: true })),
  ];
}
