import { connectDatabase } from "@tally/database";
import { domains } from "@tally/domains";
import { runThread } from "@tally/fleet";
import { connectConsumer, connectPublisher } from "@tally/messaging";
import { queuesOf } from "@tally/pipeline";
import { createLogger } from "@tally/service";
import { BatchWriter } from "./batch-writer.ts";
import type { WriterConfig } from "./config.ts";
import { writerMetrics } from "./writer-metrics.ts";

/** One writer thread: a whole consumer of every domain's ingest queue, with connections of its own. */
runThread<WriterConfig>(async (config, { index }) => {
  const log = createLogger({ name: `writer-${index}`, level: config.logLevel });
  const metrics = writerMetrics(index);
  const topology = domains.flatMap((domain) => Object.values(queuesOf(config.namespace, domain.name)));
  const database = connectDatabase({
    writeUrl: config.databaseWriteUrl,
    readUrl: config.databaseReadUrl,
    // One transaction at a time for each domain.
    writeConnections: domains.length,
    readConnections: 1,
    queryTimeoutMs: config.statementWithinMs,
    log,
  });
  const publisher = connectPublisher({
    url: config.amqpUrl,
    connectionName: `tally writer ${index} moves`,
    queues: topology,
    log,
  });
  const lines = domains.map((domain) => {
    const { ingest, rank, dead } = queuesOf(config.namespace, domain.name);
    const writer = new BatchWriter({
      domain,
      database,
      publisher,
      rankQueue: rank.name,
      deadQueue: dead.name,
      rankingShards: config.rankingShards,
      eventsPerTransaction: config.eventsPerTransaction,
      log,
      onStored: (figures) => metrics.stored(domain.name, figures),
    });
    const consumer = connectConsumer({
      url: config.amqpUrl,
      connectionName: `tally writer ${index} ${domain.name}`,
      queues: topology,
      queue: ingest.name,
      prefetch: config.prefetch,
      onDelivery: (delivery) => writer.take(delivery),
      log,
    });
    return { writer, consumer };
  });
  await Promise.all([publisher.ready, ...lines.map(({ consumer }) => consumer.ready)]);
  return {
    metrics: () => metrics.registry.getMetricsAsJSON(),
    async stop() {
      await Promise.all(lines.map(({ consumer }) => consumer.cancel()));
      await Promise.all(lines.map(({ writer }) => writer.drain()));
      await Promise.all(lines.map(({ consumer }) => consumer.close()));
      await publisher.close();
      await database.close();
    },
  };
});
