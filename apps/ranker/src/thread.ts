import { setTimeout as delay } from "node:timers/promises";
import { connectDatabase } from "@tally/database";
import { servedDomains } from "@tally/domains";
import { runThread, createLogger, recentProblems } from "@tally/runtime";
import { Progress, openTracer } from "@tally/telemetry";
import { connectConsumer } from "@tally/broker";
import { queuesOf } from "@tally/contract";
import { connectRankings } from "@tally/redis";
import { Auditor } from "./auditor.ts";
import { BatchRanker } from "./batch-ranker.ts";
import type { RankerConfig } from "./config.ts";
import { rankerMetrics } from "./ranker-metrics.ts";

const drainWithinMs = 5000;
const commandTimeoutMs = 30_000;

/** One ranker thread: a complete consumer of each served domain's rank queue, with its own connections. */
runThread<RankerConfig>(async (config, { index }) => {
  const domains = servedDomains(config.domains);
  const log = createLogger({ name: `ranker-${index}`, level: config.logLevel });
  const metrics = rankerMetrics(index, config.domains, () => database.pools());
  const progress = new Progress();
  const rankings = connectRankings({
    url: config.redisUrl,
    namespace: config.namespace,
    shards: config.rankingShards,
    domains,
    // After a timeout the ranker retries: a batch that was counted has its mark.
    commandTimeoutMs,
    log,
  });
  const database = connectDatabase({
    writeUrl: config.databaseWriteUrl,
    readUrl: config.databaseReadUrl,
    writeConnections: 1,
    readConnections: 1,
    queryTimeoutMs: 60_000,
    log,
    onSession: metrics.waitedForSession,
  });
  const tracer = await openTracer({ app: "ranker", endpoint: config.otlpEndpoint, log });
  // One auditor is enough: others would check the same batches.
  const auditor =
    index === 0
      ? new Auditor({
          domains,
          database,
          rankings,
          log,
          messagesKeptMs: config.messagesKeptSeconds * 1000,
          onRepaired: (domain, batches) => metrics.repaired(domain, batches),
          onRebuilt: (domain) => metrics.rebuilt(domain),
        })
      : undefined;
  const topology = domains.flatMap((domain) => Object.values(queuesOf(config.namespace, domain.name)));
  const lines = domains.map((domain) => {
    const ranker = new BatchRanker({
      domain: domain.name,
      rankings,
      log,
      tracer,
      onRanked(isNew, behindMs, countedMs) {
        metrics.ranked(domain.name, isNew, behindMs, countedMs);
        progress.count("ranked", domain.name, 0, 1);
        progress.took("stored-ranked", behindMs);
      },
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
    const held = () => ({ stage: "ranked", domain: domain.name, batches: consumer.held }) as const;
    return { ranker, consumer, held };
  });
  await Promise.all(lines.map(({ consumer }) => consumer.ready));
  return {
    metrics: () => metrics.registry.getMetricsAsJSON(),
    report: () => ({ ...progress.report(), held: lines.map(({ held }) => held()), problems: recentProblems(log) }),
    async stop() {
      await Promise.all(lines.map(({ consumer }) => consumer.cancel()));
      // While Redis is down nothing in hand can be finished; the broker delivers it to the next consumer.
      await Promise.race([
        Promise.all(lines.map(({ ranker }) => ranker.drain())),
        delay(drainWithinMs, undefined, { ref: false }),
      ]);
      for (const { ranker } of lines) ranker.stop();
      await Promise.all(lines.map(({ consumer }) => consumer.close()));
      auditor?.stop();
      await Promise.all([rankings.close(), database.close(), tracer.close()]);
    },
  };
});
