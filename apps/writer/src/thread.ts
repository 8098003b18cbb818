import { connectDatabase, letterOfMessage, type NewLetter } from "@tally/database";
import { liveSeries, servedDomains } from "@tally/domains";
import { createLogger, recentProblems, runThread, within, type Log } from "@tally/runtime";
import { Activity, openTracer } from "@tally/telemetry";
import { connectConsumer, connectPublisher, type Delivery } from "@tally/broker";
import { feedOf, queuesOf, readRankingMessage } from "@tally/contract";
import type { Domain, QueueSpec } from "@tally/contract";
import { BatchWriter, type BatchWriterOptions } from "./batch-writer.ts";
import { changeFeed } from "./change-feed.ts";
import { letterKeeper } from "./rejected-events.ts";
import type { WriterConfig } from "./config.ts";
import { storeParked } from "./parked-events.ts";
import { writerMetrics } from "./writer-metrics.ts";

const deadPrefetch = 10;
// A larger batch has its own transaction.
const bytesPerTransaction = 4 * 1024 * 1024;
const transactionEveryMs = 100; // docs/decisions/0002-group-commit-and-pace.md
// Then the connection of the statement is closed and the transaction repeated.
const statementWithinMs = 30_000;
// When it stops. A healthy writer has stored what it holds by then; the broker delivers the rest to another one.
const drainWithinMs = 1500;
// What is still open ends with the thread.
const closeWithinMs = 1000;

/** One writer thread: a complete consumer of each served domain's ingest queue, with its own connections. */
runThread<WriterConfig>(async (config, { index }) => {
  const domains = servedDomains(config.domains);
  const log = createLogger({ name: `writer-${index}`, level: config.logLevel });
  const metrics = writerMetrics(index, () => database.pools());
  const activity = new Activity();
  const topology = domains.flatMap((domain) => Object.values(queuesOf(config.namespace, domain.name)));
  const database = connectDatabase({
    writeUrl: config.databaseWriteUrl,
    readUrl: config.databaseReadUrl,
    // One transaction at a time for each domain, one for dead letters, one for parked events.
    writeConnections: domains.length + 2,
    readConnections: 1,
    queryTimeoutMs: statementWithinMs,
    log,
    onSession: metrics.waitedForSession,
  });
  const fed = config.changeFeed === "off" ? [] : domains.filter(({ feed }) => feed !== undefined);
  const toBroker = { url: config.amqpUrl, queues: topology, log };
  const publisher = connectPublisher({
    ...toBroker,
    topics: fed.map(({ name }) => feedOf(config.namespace, name).exchange),
    connectionName: `tally writer ${index} ranking messages`,
  });
  const tracer = await openTracer({ app: "writer", endpoint: config.otlpEndpoint, log });
  const stopping = new AbortController();
  const { signal } = stopping;
  const keeper = letterKeeper(database, log, signal, ({ domain, stage }) => metrics.keptLetter(domain, stage));
  const parts: Parts = { signal, config, index, log, metrics, activity, database, toBroker, publisher, tracer, keeper };
  const lines = domains.map((domain) => consumeDomain(domain, fed.includes(domain), parts));
  const consumers = lines.flatMap((line) => line.consumers);
  await Promise.all([publisher.ready, ...consumers.map(({ ready }) => ready)]);
  if (index === 0) for (const line of lines) void line.storeParked();
  return {
    metrics: () => metrics.registry.getMetricsAsJSON(),
    report: () => ({ ...activity.report(), held: lines.map(({ held }) => held()), problems: recentProblems(log) }),
    async stop() {
      await within(drainWithinMs, async () => {
        await Promise.all(consumers.map((consumer) => consumer.cancel()));
        await Promise.all([keeper.drain(), ...lines.map(({ writer }) => writer.drain())]);
      });
      stopping.abort();
      await within(closeWithinMs, async () => {
        await Promise.all(consumers.map((consumer) => consumer.close()));
        await Promise.all([publisher.close(), database.close(), tracer.close()]);
      });
    },
  };
});

/** What the domains of a thread share. */
interface Parts extends Pick<BatchWriterOptions, "signal" | "log" | "database" | "publisher" | "tracer" | "keeper"> {
  readonly config: WriterConfig;
  readonly index: number;
  readonly metrics: ReturnType<typeof writerMetrics>;
  readonly activity: Activity;
  readonly toBroker: { readonly url: string; readonly queues: readonly QueueSpec[]; readonly log: Log };
}

/** Consumes the ingest queue and the dead-letter queue of a domain. */
function consumeDomain(domain: Domain, isFed: boolean, parts: Parts) {
  const { config, index, metrics, activity, toBroker, keeper, database } = parts;
  const { ingest, rank, dead } = queuesOf(config.namespace, domain.name);
  const writer = new BatchWriter({
    ...parts,
    domain,
    feed: isFed ? changeFeed({ ...parts, ...config, domain, rows: database.writer }) : undefined,
    ingestQueue: ingest.name,
    rankQueue: rank.name,
    rankingShards: config.rankingShards,
    series: liveSeries(config),
    line: { ...config, bytesPerTransaction },
    transactionEveryMs,
    onStored(figures) {
      metrics.stored(domain.name, figures);
      activity.count("stored", domain.name, figures.events, figures.batches);
      activity.took("sealed-stored", figures.oldestMs);
    },
    onAnnounced: (ms) => metrics.announced(domain.name, ms),
  });
  const consumer = connectConsumer({
    ...toBroker,
    connectionName: `tally writer ${index} ${domain.name}`,
    queue: ingest.name,
    prefetch: config.prefetch,
    onDelivery: (delivery) => writer.take(delivery),
  });
  const deadConsumer = connectConsumer({
    ...toBroker,
    connectionName: `tally writer ${index} ${domain.name} dead letters`,
    queue: dead.name,
    prefetch: deadPrefetch,
    onDelivery: (delivery) => keeper.keep(letterOfDead(domain.name, rank.name, delivery), delivery),
  });
  const held = () => ({ stage: "stored", domain: domain.name, batches: consumer.held }) as const;
  const { awaited } = domain.store;
  const parked = async () => awaited && storeParked({ ...parts, domain, awaited, writer });
  return { writer, consumers: [consumer, deadConsumer], held, storeParked: parked };
}

/** A message that RabbitMQ moved to the queue of dead letters: its headers name the queue and the reason. A ranker
 * rejects what it cannot decode; the letter says why. */
function letterOfDead(domain: string, rankQueue: string, { messageId, headers, body }: Delivery): NewLetter {
  const { "x-first-death-queue": found, "x-first-death-reason": reason } = headers;
  // As long as its column: the header may be forged.
  const queue = typeof found === "string" ? found.slice(0, 255) : "";
  const message = queue === rankQueue ? readRankingMessage(body) : undefined;
  const given = typeof reason === "string" ? reason : "no reason given";
  const why = message instanceof Error ? `${given}: ${message.message}` : given;
  return letterOfMessage({ domain, stage: "delivery", queue, messageId, reason: `given up: ${why}`, body });
}
