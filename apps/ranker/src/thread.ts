import { connectDatabase } from "@tally/database";
import { liveSeries, servedDomains } from "@tally/domains";
import { createLogger, recentProblems, runThread, within } from "@tally/runtime";
import { Activity, openTracer } from "@tally/telemetry";
import { connectConsumer, connectPublisher } from "@tally/broker";
import { feedOf, queuesOf, type Domain } from "@tally/contract";
import { connectRankings } from "@tally/redis";
import { Auditor } from "./auditor.ts";
import { batchRanker, type BatchRankerOptions } from "./batch-ranker.ts";
import type { RankerConfig } from "./config.ts";
import { rankerMetrics } from "./ranker-metrics.ts";

// While Redis is down nothing in hand can be finished; the broker delivers it to the next consumer.
const drainWithinMs = 5000;
// Longer than the auditor takes. What is still open ends with the thread.
const closeWithinMs = 5000;
const commandTimeoutMs = 30_000;

/** One ranker thread: a complete consumer of each served domain's rank queue, with its own connections. */
runThread<RankerConfig>(async (config, { index }) => {
  const domains = servedDomains(config.domains);
  const log = createLogger({ name: `ranker-${index}`, level: config.logLevel });
  const metrics = rankerMetrics(index, config.domains, () => database.pools());
  const activity = new Activity();
  const { redisUrl: url, namespace, rankingShards: shards } = config;
  // After a timeout the ranker retries: a batch that was ranked has its mark.
  const rankings = connectRankings({ url, namespace, shards, domains, commandTimeoutMs, log });
  const database = connectDatabase({
    writeUrl: config.databaseWriteUrl,
    readUrl: config.databaseReadUrl,
    // One of each for folding.
    writeConnections: 2,
    readConnections: 2,
    queryTimeoutMs: 60_000,
    log,
    onSession: metrics.waitedForSession,
  });
  const tracer = await openTracer({ app: "ranker", endpoint: config.otlpEndpoint, log });
  const keptMs = config.batchesKeptSeconds * 1000;
  // One auditor is enough: others would check the same batches.
  const isAuditor = index === 0;
  const publisher =
    isAuditor && config.changeFeed === "on"
      ? connectPublisher({
          url: config.amqpUrl,
          connectionName: `tally ranker ${index} alerts`,
          queues: [],
          topics: domains.filter(({ feed }) => feed).map(({ name }) => feedOf(namespace, name).exchange),
          log,
        })
      : undefined;
  const feed = publisher && { publisher, namespace };
  const auditor = isAuditor
    ? new Auditor({ domains, database, rankings, log, keptMs, series: liveSeries(config), feed, ...metrics })
    : undefined;
  const parts = { config, index, rankings, log, tracer, metrics, activity };
  const rankers = domains.map((domain) => startRanker(domain, parts));
  await Promise.all(rankers.map(({ consumer }) => consumer.ready));
  return {
    metrics: () => metrics.registry.getMetricsAsJSON(),
    report: () => ({ ...activity.report(), held: rankers.map(({ held }) => held()), problems: recentProblems(log) }),
    async stop() {
      await within(drainWithinMs, async () => {
        await Promise.all(rankers.map(({ consumer }) => consumer.cancel()));
        await Promise.all(rankers.map(({ ranker }) => ranker.drain()));
      });
      for (const { ranker } of rankers) ranker.stop();
      await within(closeWithinMs, async () => {
        await Promise.all([auditor?.stop(), publisher?.close(), ...rankers.map(({ consumer }) => consumer.close())]);
        await Promise.all([rankings.close(), database.close(), tracer.close()]);
      });
    },
  };
});

interface Parts extends Pick<BatchRankerOptions, "rankings" | "log" | "tracer"> {
  readonly config: RankerConfig;
  readonly index: number;
  readonly metrics: ReturnType<typeof rankerMetrics>;
  readonly activity: Activity;
}

/** Consumes the rank queue of a domain. */
function startRanker({ name: domain }: Domain, { config, index, rankings, log, tracer, metrics, activity }: Parts) {
  const ranker = batchRanker({
    domain,
    rankings,
    log,
    tracer,
    onRanked(isNew, behindMs, rankMs) {
      metrics.ranked(domain, isNew, behindMs, rankMs);
      activity.count("ranked", domain, 0, 1);
      activity.took("stored-ranked", behindMs);
    },
  });
  const queues = queuesOf(config.namespace, domain);
  const consumer = connectConsumer({
    url: config.amqpUrl,
    connectionName: `tally ranker ${index} ${domain}`,
    queues: Object.values(queues),
    queue: queues.rank.name,
    prefetch: 8,
    onDelivery: (delivery) => ranker.take(delivery),
    log,
  });
  return { ranker, consumer, held: () => ({ stage: "ranked", domain, batches: consumer.held }) as const };
}
