import { Counter, createMetrics, Gauge, Histogram } from "@tally/service";

/** The metrics of the gateway: per batch or per error, never per accepted event. `waiting` is called when the metrics are read. */
export function gatewayMetrics(waiting: () => readonly { readonly domain: string; readonly events: number }[]) {
  const registry = createMetrics();
  const registers = [registry];
  return {
    registry,
    events: new Counter({
      name: "tally_gateway_events_total",
      help: "Events by outcome at the broker",
      labelNames: ["domain", "outcome"] as const,
      registers,
    }),
    batchEvents: new Histogram({
      name: "tally_gateway_batch_events",
      help: "Events in a batch",
      labelNames: ["domain"] as const,
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
      registers,
    }),
    batchSeconds: new Histogram({
      name: "tally_gateway_batch_seconds",
      help: "From the first event of a batch to its confirm: the longest wait in each batch",
      labelNames: ["domain"] as const,
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      registers,
    }),
    refusals: new Counter({
      name: "tally_gateway_errors_total",
      help: "Error responses, by status and by code in the list of errors",
      labelNames: ["status", "code"] as const,
      registers,
    }),
    keys: new Counter({
      name: "tally_gateway_keys_total",
      help: "Idempotency-Keys by state: new, same content, other content (422), unchecked (Redis did not reply)",
      labelNames: ["domain", "state"] as const,
      registers,
    }),
    connectionsRefused: new Counter({
      name: "tally_gateway_connections_refused_total",
      help: "Connections that were closed at once, by the limit: all, or address",
      labelNames: ["limit"] as const,
      registers,
    }),
    found: new Counter({
      name: "tally_gateway_found_total",
      help: "Lookups of events by id, by the place where they were found",
      labelNames: ["domain", "where"] as const,
      registers,
    }),
    readKeys: new Histogram({
      name: "tally_gateway_read_keys",
      help: "Keys in a statement, which reads for all requests of about the same time",
      labelNames: ["domain", "endpoint"] as const,
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
      registers,
    }),
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
