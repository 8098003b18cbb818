import type { Database } from "@tally/database";
import type { Activity, TracedEvent, Tracer } from "@tally/telemetry";
import type { Publisher } from "@tally/broker";
import { BatchIds, queuesOf, type Domain, type EncodedEvent } from "@tally/contract";
import type { Rankings } from "@tally/redis";
import type { GatewayConfig } from "../config.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import { beginPublish } from "./event-traces.ts";
import { GroupCommit, type CommitOutcome, type Settle } from "./group-commit.ts";
import { openPace } from "./pace.ts";

/** How the events of a domain reach the broker. */
export interface Intake {
  readonly domain: Domain;
  readonly commit: Commit;
  /** Resolves when every event that was added has its outcome. */
  close(): Promise<void>;
}

export interface Commit {
  /** Events whose outcome is not known yet. */
  readonly waiting: number;
  /** Calls `settle` once, possibly before it returns. A callback: promises would cost 8 % of the gateway's CPU time. */
  add(event: EncodedEvent, settle: Settle, traced?: TracedEvent): void;
}

/** Resolves with the outcome of an event. Never rejects. */
export function committed(commit: Commit, event: EncodedEvent, traced?: TracedEvent): Promise<CommitOutcome> {
  return new Promise((resolve) => {
    commit.add(event, resolve, traced);
  });
}

/** What an intake may use. */
export interface IntakeServers {
  readonly config: GatewayConfig;
  readonly publisher: Publisher;
  readonly database: Database;
  readonly rankings: Rankings;
  readonly metrics: GatewayMetrics;
  readonly activity: Activity;
  readonly tracer: Tracer;
}

/** Opens a group commit for a domain. Its pace follows the queues of the domain. */
export function openIntake(domain: Domain, { config, publisher, metrics, activity, tracer }: IntakeServers): Intake {
  const queues = queuesOf(config.namespace, domain.name);
  const label = { domain: domain.name };
  // From 0, so that the first one is an increase.
  for (const outcome of ["confirmed", "rejected", "unroutable", "expired"])
    metrics.events.inc({ ...label, outcome }, 0);
  const pace = openPace(async () => {
    const depths = await Promise.all([queues.ingest, queues.rank].map(({ name }) => publisher.queueDepth(name)));
    const known = depths.filter((depth) => depth !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  });
  // For the metrics of this gateway, and for its heartbeat.
  const hop = (name: Parameters<Activity["took"]>[0], ms: number): void => {
    metrics.hopSeconds.observe({ ...label, hop: name }, ms / 1000);
    activity.took(name, ms);
  };
  const commit = new GroupCommit({
    ...config,
    queue: queues.ingest.name,
    eventVersion: domain.eventVersion,
    publisher,
    ids: new BatchIds(),
    pace,
    onBatch(events, outcome, { openMs, inFlightMs, respondedMs }) {
      metrics.events.inc({ ...label, outcome }, events);
      metrics.batchEvents.observe(label, events);
      metrics.batchSeconds.observe(label, (openMs + inFlightMs) / 1000);
      if (outcome === "confirmed") activity.count("accepted", domain.name, events, 1);
      hop("received-sealed", openMs);
      hop("sealed-confirmed", inFlightMs);
      hop("confirmed-responded", respondedMs);
    },
    beginPublish: (traced) => beginPublish(tracer, domain.name, traced),
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
