import { connectDatabase } from "@tally/database";
import { domains } from "@tally/domains";
import { runThread } from "@tally/fleet";
import { connectConsumer, connectPublisher } from "@tally/messaging";
import { queuesOf } from "@tally/pipeline";
import { createLogger } from "@tally/service";
import { BatchWriter } from "./batch-writer.ts";
import { givenUp } from "./given-up.ts";
import { LetterKeeper } from "./letter-keeper.ts";
import type { WriterConfig } from "./config.ts";
import { writerMetrics } from "./writer-metrics.ts";

const deadPrefetch = 10;

/** One writer thread: a whole consumer of every domain's ingest queue, with connections of its own. */
runThread<WriterConfig>(async (config, { index }) => {
  const log = createLogger({ name: `writer-${index}`, level: config.logLevel });
  const metrics = writerMetrics(index);
  const topology = domains.flatMap((domain) => Object.values(queuesOf(config.namespace, domain.name)));
  const database = connectDatabase({
    writeUrl: config.databaseWriteUrl,
    readUrl: config.databaseReadUrl,
    // One transaction at a time for each domain, and one for dead letters.
    writeConnections: domains.length + 1,
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
  const keeper = new LetterKeeper(database, log);
  const lines = domains.map((domain) => {
    const { ingest, rank, dead } = queuesOf(config.namespace, domain.name);
    const writer = new BatchWriter({
      domain,
      database,
      publisher,
      keeper,
      ingestQueue: ingest.name,
      rankQueue: rank.name,
      rankingShards: config.rankingShards,
      line: config,
      transactionEveryMs: config.transactionEveryMs,
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
    // What the broker itself gave up.
    const deadConsumer = connectConsumer({
      url: config.amqpUrl,
      connectionName: `tally writer ${index} ${domain.name} dead letters`,
      queues: topology,
      queue: dead.name,
      prefetch: deadPrefetch,
      onDelivery: (delivery) => keeper.keep(givenUp(domain.name, delivery), () => delivery.ack()),
      log,
    });
    return { writer, consumers: [consumer, deadConsumer] };
  });
  const consumers = lines.flatMap((line) => line.consumers);
  await Promise.all([publisher.ready, ...consumers.map(({ ready }) => ready)]);
  return {
    metrics: () => metrics.registry.getMetricsAsJSON(),
    async stop() {
      await Promise.all(consumers.map((consumer) => consumer.cancel()));
      await Promise.all([keeper.drain(), ...lines.map(({ writer }) => writer.drain())]);
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await publisher.close();
      await database.close();
    },
  };
});
