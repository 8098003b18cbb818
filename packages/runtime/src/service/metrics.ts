import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** The metrics of Node. A thread's are labelled with its index, without `process_*`, which the main thread has. */
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

/** Makes metrics of a registry. `help`: their texts by name. */
export function metricsIn<Name extends string>(registry: Registry, help: Readonly<Record<Name, string>>) {
  const of = (name: Name) => ({ name, help: help[name], registers: [registry] });
  return {
    counter: <Label extends string>(name: Name, ...labelNames: readonly Label[]) =>
      new Counter({ ...of(name), labelNames }),
    histogram: <Label extends string>(name: Name, buckets: number[], ...labelNames: readonly Label[]) =>
      new Histogram({ ...of(name), labelNames, buckets }),
    /** `collect` is called when the metrics are read. */
    gauge: <Label extends string>(
      name: Name,
      labelNames: readonly Label[],
      collect?: (gauge: Gauge<Label>) => void | Promise<void>,
    ): Gauge<Label> => {
      const gauge: Gauge<Label> = new Gauge({ ...of(name), labelNames, collect: () => collect?.(gauge) });
      return gauge;
    },
  };
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

const poolHelp = {
  tally_database_wait_seconds:
    "Time that a read or a transaction waited for a connection of the pool, or for a new one to open",
  tally_database_connections: "Connections of the pool that are in use",
  tally_database_waiting: "Reads and transactions that wait for a connection of the pool",
};
const waitBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];

/** Metrics of database pools; `pools` is called at each reading. Call the result after each wait, also of 0 ms. */
export function poolMetrics(
  registry: Registry,
  pools: () => readonly PoolState[],
): (endpoint: string, waitedMs: number) => void {
  const { gauge, histogram } = metricsIn(registry, poolHelp);
  const waitSeconds = histogram("tally_database_wait_seconds", waitBuckets, "endpoint");
  const show = (figure: "lent" | "waiting") => (made: Gauge<"endpoint">) => {
    for (const pool of pools()) made.set({ endpoint: pool.endpoint }, pool[figure]);
  };
  gauge("tally_database_connections", ["endpoint"], show("lent"));
  gauge("tally_database_waiting", ["endpoint"], show("waiting"));
  return (endpoint, waitedMs) => waitSeconds.observe({ endpoint }, waitedMs / 1000);
}
