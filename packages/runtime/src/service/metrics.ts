import { AggregatorRegistry, Registry, collectDefaultMetrics } from "prom-client";

export interface MetricsOptions {
  /** The index of the metrics' thread; absent in the main thread. */
  readonly thread?: number;
}

/** The metrics of Node. In a thread with the label `thread`, without those of the process (`process_*`), which the main thread has. */
export function createMetrics({ thread }: MetricsOptions = {}): Registry {
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

/**
 * The metrics of the main thread and of its threads (each from `getMetricsAsJSON()`) as one Prometheus text. The label `thread` separates the
 * series: a sum over threads would fall when one restarts or does not respond, and a rate would take that for a reset and count twice.
 */
export async function mergeMetrics(main: Registry, threads: readonly object[]): Promise<string> {
  const all = [await main.getMetricsAsJSON(), ...threads.filter((metrics) => Array.isArray(metrics))];
  return AggregatorRegistry.aggregate(all.map((metrics) => metrics.map(kept))).metrics();
}

/** The aggregator would drop the process's start time, which it cannot sum. */
function kept(metric: { readonly aggregator: string }): object {
  return metric.aggregator === "omit" ? { ...metric, aggregator: "first" } : metric;
}
