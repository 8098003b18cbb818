import type { Publisher } from "@tally/messaging";
import { BatchIds, queuesOf, type Domain } from "@tally/pipeline";
import type { GatewayConfig } from "../config.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import { GroupCommit } from "./group-commit.ts";
import { Pace } from "./pace.ts";

/** How the events of a domain reach the broker. */
export interface Intake {
  readonly domain: Domain;
  readonly commit: GroupCommit;
  /** Resolves when every event that was added has its outcome. */
  close(): Promise<void>;
}

/** Opens a group commit for a domain. Its pace follows the queues of the domain. */
export function openIntake(
  domain: Domain,
  { config, publisher, metrics }: { config: GatewayConfig; publisher: Publisher; metrics: GatewayMetrics },
): Intake {
  const queues = queuesOf(config.namespace, domain.name);
  const label = { domain: domain.name };
  const pace = new Pace({
    async backlog() {
      const depths = await Promise.all([
        publisher.queueDepth(queues.ingest.name),
        publisher.queueDepth(queues.rank.name),
      ]);
      return depths.reduce(
        (longest, depth) => (depth === undefined ? longest : Math.max(longest ?? 0, depth)),
        undefined,
      );
    },
  });
  const commit = new GroupCommit({
    queue: queues.ingest.name,
    publisher,
    ids: new BatchIds(),
    pace,
    eventsMax: config.batchEventsMax,
    bytesMax: config.batchBytesMax,
    everyMs: config.batchEveryMs,
    inFlightMax: config.batchesInFlightMax,
    waitingMax: config.waitingMax,
    waitingBytesMax: config.waitingBytesMax,
    deadlineMs: config.confirmWithinMs,
    onBatch(events, outcome, waitedMs) {
      metrics.events.inc({ ...label, outcome }, events);
      metrics.batchEvents.observe(label, events);
      metrics.batchSeconds.observe(label, waitedMs / 1000);
      metrics.backlog.set(label, pace.backlog);
    },
  });
  return {
    domain,
    commit,
    async close() {
      await commit.drain();
      pace.close();
    },
  };
}
