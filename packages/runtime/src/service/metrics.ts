import { AggregatorRegistry, Registry, collectDefaultMetrics, Gauge, Histogram } from "prom-client";

/** The metrics of Node. Those of a thread are labelled with its index, without `process_*`, which the main thread has. */
export function createMetrics(thread?: number): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  if (thread !== undefined) {
    registry.setDefaultLabels({ thread: String(thread) });
    for (const { name } of registry.getMetricsAsArray()) {
      if (name.startsWith("process_")) registry.removeSingleMetric(name);
    }
  }
  return registry;
}

/** The metrics of the main thread and of its threads (each from `getMetricsAsJSON()`) as one Prometheus text. The label
 * `thread` separates the series: a sum over threads would fall when one restarts or does not respond, and a rate would
 * take that for a reset and count twice. */
export async function mergeMetrics(main: Registry, threads: readonly object[]): Promise<string> {
  const all = [await main.getMetricsAsJSON(), ...threads.filter((metrics) => Array.isArray(metrics))];
  return AggregatorRegistry.aggregate(all.map((metrics) => metrics.map(kept))).metrics();
}

/** The aggregator would drop the process's start time, which it cannot sum. */
function kept(metric: { readonly aggregator: string }): object {
  return metric.aggregator === "omit" ? { ...metric, aggregator: "first" } : metric;
}

export interface PoolState {
  readonly endpoint: string;
  /** Connections in use. */
  readonly lent: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

/** Metrics of database pools; `pools` is called at each reading. Call the result after each wait, also of 0 ms. */
export function poolMetrics(
  registry: Registry,
  pools: () => readonly PoolState[],
): (endpoint: string, waitedMs: number) => void {
  const registers = [registry];
  const waitSeconds = new Histogram({
    name: "tally_database_wait_seconds",
    help: "Time that a read or a transaction waited for a connection of the pool, or for a new one to open",
    labelNames: ["endpoint"] as const,
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
    registers,
  });
  const gauge = (name: string, help: string, figure: "lent" | "waiting"): void =>
    void new Gauge({
      name,
      help,
      labelNames: ["endpoint"] as const,
      registers,
      collect() {
        for (const pool of pools()) this.set({ endpoint: pool.endpoint }, pool[figure]);
      },
    });
  gauge("tally_database_connections", "Connections of the pool that are in use", "lent");
  gauge("tally_database_waiting", "Reads and transactions that wait for a connection of the pool", "waiting");
  return (endpoint, waitedMs) => waitSeconds.observe({ endpoint }, waitedMs / 1000);
}
