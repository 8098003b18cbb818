import { Counter, createMetrics, Gauge, Histogram, poolMetrics, type PoolState } from "@tally/runtime";
import { statusMetrics, type StatusFigures } from "./status-metrics.ts";

const powersOfTwo = (max: number): number[] => Array.from({ length: Math.log2(max) + 1 }, (_, n) => 2 ** n);

const hopSeconds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** What is read when the metrics are. */
export interface GatewayState {
  readonly waiting: () => readonly { readonly domain: string; readonly events: number }[];
  readonly pools: () => readonly PoolState[];
  readonly status: () => Promise<StatusFigures>;
}

/** The metrics of the gateway: per batch, statement or error, never per accepted event; response times are in response-times.ts. */
export function gatewayMetrics({ waiting, pools, status }: GatewayState) {
  const registry = createMetrics();
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  statusMetrics(registry, status);
  return {
    registry,
    events: counter(
      "tally_gateway_events_total",
      "Events by outcome at the broker: confirmed, rejected (queue full), unroutable, expired",
      "domain",
      "outcome",
    ),
    batchEvents: histogram("tally_gateway_batch_events", "Events in a batch", powersOfTwo(1024), "domain"),
    batchSeconds: histogram(
      "tally_gateway_batch_seconds",
      "Time from the first event of a batch to its confirm",
      hopSeconds,
      "domain",
    ),
    hopSeconds: histogram(
      "tally_gateway_hop_seconds",
      "Time of a batch's oldest event in each hop: received-sealed, sealed-confirmed, confirmed-responded (to the last response)",
      hopSeconds,
      "domain",
      "hop",
    ),
    rejections: counter(
      "tally_gateway_errors_total",
      "Error responses by status and by code (docs/openapi.json)",
      "status",
      "code",
    ),
    keys: counter(
      "tally_gateway_keys_total",
      "Idempotency-Keys by state: new, same (equal content), other (other content, 422), unchecked (no reply from Redis)",
      "domain",
      "state",
    ),
    connectionsRejected: counter(
      "tally_gateway_connections_refused_total",
      "Connections closed at once, by the exceeded limit: all or address",
      "limit",
    ),
    slowStreams: counter(
      "tally_gateway_slow_streams_total",
      "Live streams that were ended because their client read too slowly",
    ),
    found: counter(
      "tally_gateway_found_total",
      "Lookups of events by id, by where: memory, read, write (the replica is behind), waited (not stored yet), late (503), none (404)",
      "domain",
      "where",
    ),
    readKeys: histogram(
      "tally_gateway_read_keys",
      "Keys in a statement that reads for concurrent requests",
      powersOfTwo(512),
      "domain",
      "endpoint",
    ),
    waitedForSession: poolMetrics(registry, pools),
    waiting: new Gauge({
      name: "tally_gateway_waiting_events",
      help: "Events that wait for their confirm",
      labelNames: ["domain"] as const,
      registers,
      collect() {
        for (const { domain, events } of waiting()) this.set({ domain }, events);
      },
    }),
    backlog: new Gauge({
      name: "tally_queue_messages",
      help: "Batches in the longer of a domain's two queues, at the last poll",
      labelNames: ["domain"] as const,
      registers,
    }),
  };
}

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>;
