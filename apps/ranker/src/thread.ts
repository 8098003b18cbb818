import { setTimeout as delay } from "node:timers/promises";
import { connectDatabase } from "@tally/database";
import { domains } from "@tally/domains";
import { runThread } from "@tally/fleet";
import { connectConsumer } from "@tally/messaging";
import { queuesOf } from "@tally/pipeline";
import { connectRankings } from "@tally/rankings";
import { createLogger } from "@tally/service";
import { Auditor } from "./auditor.ts";
import { BatchRanker } from "./batch-ranker.ts";
import type { RankerConfig } from "./config.ts";
import { rankerMetrics } from "./ranker-metrics.ts";

const drainWithinMs = 5000;
const commandTimeoutMs = 30_000;

/** One ranker thread: a whole consumer of every domain's rank queue, with connections of its own. */
runThread<RankerConfig>(async (config, { index }) => {
  const log = createLogger({ name: `ranker-${index}`, level: config.logLevel });
  const metrics = rankerMetrics(index);
  const rankings = connectRankings({
    url: config.redisUrl,
    namespace: config.namespace,
    shards: config.rankingShards,
    // Whoever waits for an answer that does not come tries again: whatever is applied carries its mark.
    commandTimeoutMs,
    log,
  });
  // One thread looks after what the messages missed; more would only look at the same.
  const database = connectDatabase({
    writeUrl: config.databaseWriteUrl,
    readUrl: config.databaseReadUrl,
    writeConnections: 1,
    readConnections: 1,
    queryTimeoutMs: 60_000,
    log,
  });
  const auditor =
    index === 0
      ? new Auditor({
          domains,
          database,
          rankings,
          log,
          movesKeptMs: config.messagesKeptSeconds * 1000,
          onHealed: (domain, batches) => metrics.healed(domain, batches),
          onRebuilt: (domain) => metrics.rebuilt(domain),
        })
      : undefined;
  const topology = domains.flatMap((domain) => Object.values(queuesOf(config.namespace, domain.name)));
  const lines = domains.map((domain) => {
    const ranker = new BatchRanker({
      domain: domain.name,
      rankings,
      log,
      onRanked: (applied, behindMs) => metrics.ranked(domain.name, applied, behindMs),
    });
    const consumer = connectConsumer({
      url: config.amqpUrl,
      connectionName: `tally ranker ${index} ${domain.name}`,
      queues: topology,
      queue: queuesOf(config.namespace, domain.name).rank.name,
      prefetch: config.prefetch,
      onDelivery: (delivery) => ranker.take(delivery),
      log,
    });
    return { ranker, consumer };
  });
  await Promise.all(lines.map(({ consumer }) => consumer.ready));
  return {
    metrics: () => metrics.registry.getMetricsAsJSON(),
    async stop() {
      await Promise.all(lines.map(({ consumer }) => consumer.cancel()));
      // With Redis away nothing in hand can be finished; it comes again to whoever consumes next.
      await Promise.race([
        Promise.all(lines.map(({ ranker }) => ranker.drain())),
        delay(drainWithinMs, undefined, { ref: false }),
      ]);
      for (const { ranker } of lines) ranker.stop();
      await Promise.all(lines.map(({ consumer }) => consumer.close()));
      auditor?.stop();
      await Promise.all([rankings.close(), database.close()]);
    },
  };
});
