import { createMetrics, kept, metricsIn, poolMetrics, type Gauge, type PoolState, type Registry } from "@tally/runtime";
import type { Status } from "@tally/telemetry";

const help = {
  tally_gateway_events_total: "Events by outcome at the broker: confirmed, rejected (queue full), unroutable, expired",
  tally_gateway_batch_events: "Events in a batch",
  tally_gateway_batch_seconds: "Time from the first event of a batch to its confirm",
  tally_gateway_hop_seconds:
    "Time of a batch's oldest event in each hop: received-sealed, sealed-confirmed, confirmed-responded " +
    "(to the last response)",
  tally_gateway_errors_total: "Error responses by status and by code (docs/errors.md)",
  tally_gateway_keys_total:
    "Idempotency-Keys by state: new, same (equal content), other (other content, 422), unchecked " +
    "(no reply from Redis)",
  tally_gateway_connections_rejected_total: "Connections closed at once, by the exceeded limit: all or address",
  tally_gateway_slow_streams_total: "Live streams that were ended because their client read too slowly",
  tally_gateway_found_total:
    "Lookups of events by id, by where: memory, read, write (the replica is behind), waited (not stored yet), " +
    "late (503), none (404)",
  tally_gateway_read_keys: "Keys in a statement that reads for concurrent requests",
  tally_gateway_waiting_events: "Events that wait for their confirm",
  tally_queue_messages: "Batches in the longer of a domain's two queues; absent without the broker",
  tally_seconds_to_drain:
    "Time until every waiting event of a domain is stored and ranked at the present rates; +Inf: unknown, " +
    "or nothing progresses",
  tally_replica_lag_seconds:
    "Age of the oldest batch that the read endpoint does not have yet; NaN: an endpoint is down",
  tally_dead_letters:
    "Dead letters by state: open, parked, replayed, discarded; 10000: that many or more; absent while the database is down",
  tally_server_up:
    "Whether a server responds to this gateway: broker, databaseWrite, databaseRead, redis " +
    "(every master of a cluster); 0 also while the broker blocks publishers",
  tally_processes:
    "Processes by app and state: up; gone (no heartbeat for 3 s, and not stopped in order); absent while Redis is down",
} as const;

const powersOfTwo = (max: number): number[] => Array.from({ length: Math.log2(max) + 1 }, (_, n) => 2 ** n);
const hopSeconds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** What is read when the metrics are. */
interface GatewayState {
  readonly waiting: () => readonly { readonly domain: string; readonly events: number }[];
  readonly pools: () => readonly PoolState[];
  readonly status: () => Promise<StatusFigures>;
}

/** What the metrics show of the status of the system. */
type StatusFigures = Pick<Status, "domains" | "replicaLagMs" | "deadLetters" | "servers" | "processes">;

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>;

/** Per batch, statement or error, never per accepted event. Response times are in response-times.ts. */
export function gatewayMetrics({ waiting, pools, status }: GatewayState) {
  const registry = createMetrics();
  statusMetrics(registry, status);
  const { counter, gauge, histogram } = metricsIn(registry, help);
  gauge("tally_gateway_waiting_events", ["domain"], (made) => {
    for (const { domain, events } of waiting()) made.set({ domain }, events);
  });
  return {
    registry,
    events: counter("tally_gateway_events_total", "domain", "outcome"),
    batchEvents: histogram("tally_gateway_batch_events", powersOfTwo(1024), "domain"),
    batchSeconds: histogram("tally_gateway_batch_seconds", hopSeconds, "domain"),
    hopSeconds: histogram("tally_gateway_hop_seconds", hopSeconds, "domain", "hop"),
    rejections: counter("tally_gateway_errors_total", "status", "code"),
    keys: counter("tally_gateway_keys_total", "domain", "state"),
    connectionsRejected: counter("tally_gateway_connections_rejected_total", "limit"),
    slowStreams: counter("tally_gateway_slow_streams_total"),
    found: counter("tally_gateway_found_total", "domain", "where"),
    readKeys: histogram("tally_gateway_read_keys", powersOfTwo(512), "domain", "endpoint"),
    waitedForSession: poolMetrics(registry, pools),
  };
}

/** Metrics of the whole system, the same at each gateway. */
function statusMetrics(registry: Registry, read: () => Promise<StatusFigures>): void {
  // All gauges are collected in one turn of the event loop.
  const status = kept(read, 100);
  const { gauge: gaugeOf } = metricsIn(registry, help);
  const gauge = <Label extends string>(
    name: keyof typeof help,
    labelNames: readonly Label[],
    show: (gauge: Gauge<Label>, figures: StatusFigures) => void,
  ): void =>
    void gaugeOf(name, labelNames, async (made) => {
      const figures = await status();
      if (labelNames.length > 0) made.reset();
      show(made, figures);
    });

  gauge("tally_queue_messages", ["domain"], (made, { domains }) => {
    for (const { name: domain, queues } of domains) {
      const [ingest, rank] = [queues.ingest.batches, queues.rank.batches];
      if (ingest !== null && rank !== null) made.set({ domain }, Math.max(ingest, rank));
    }
  });
  gauge("tally_seconds_to_drain", ["domain"], (made, { domains }) => {
    for (const { name: domain, secondsToDrain } of domains) made.set({ domain }, secondsToDrain ?? Infinity);
  });
  gauge("tally_replica_lag_seconds", [], (made, { replicaLagMs }) =>
    made.set(replicaLagMs === null ? NaN : replicaLagMs / 1000),
  );
  gauge("tally_dead_letters", ["state"], (made, { deadLetters }) => {
    for (const [state, letters] of Object.entries(deadLetters ?? {})) made.set({ state }, letters);
  });
  gauge("tally_server_up", ["server"], (made, { servers }) => {
    for (const [server, own] of Map.groupBy(servers, ({ name }) => name))
      made.set({ server }, own.every(({ state }) => state === "up") ? 1 : 0);
  });
  gauge("tally_processes", ["app", "state"], (made, { processes }) => {
    for (const { app, state } of processes) made.inc({ app, state });
  });
}
