import { AggregatorRegistry, Registry, collectDefaultMetrics } from "prom-client";

export interface MetricsOptions {
  /** Index of the thread that these belong to; absent in the main thread. */
  readonly thread?: number;
}

/**
 * A registry with the metrics of Node. In a thread every value gets the label `thread`, and what concerns the whole
 * process (`process_*`: CPU, memory, descriptors) is left to the main thread, which would count it again.
 */
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
 * The main thread's metrics and those of its threads, each as `getMetricsAsJSON()` gave it, as one Prometheus text.
 * Series stay apart by the label `thread`: a sum over threads would fall when one starts again or does not answer, which
 * a rate takes for a reset and counts twice.
 */
export async function mergeMetrics(main: Registry, threads: readonly object[]): Promise<string> {
  const all = [await main.getMetricsAsJSON(), ...threads.filter((metrics) => Array.isArray(metrics))];
  return AggregatorRegistry.aggregate(all.map((metrics) => metrics.map(kept))).metrics();
}

/** The aggregator would drop the process's start time, which it cannot add up. */
function kept(metric: { readonly aggregator: string }): object {
  return metric.aggregator === "omit" ? { ...metric, aggregator: "first" } : metric;
}
