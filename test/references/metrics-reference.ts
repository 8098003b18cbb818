import { gatewayMetrics, responseTimesMetric } from "@tally/gateway";
import { rankerMetrics } from "@tally/ranker";
import { createMetrics, fleetMetrics, poolMetrics, silentLog, type Registry } from "@tally/runtime";
import { clockOffset } from "@tally/telemetry";
import { writerMetrics } from "@tally/writer";
import { table } from "./table.ts";

type Metrics = Awaited<ReturnType<typeof describe>>;

/** What operators watch, without the other default metrics of prom-client. */
const watched =
  /^tally_|^process_(cpu_seconds|start|resident|open|max)_|^nodejs_(eventloop_lag_p99|heap_size_used|external|gc)_/;

/** docs/metrics.md. */
export async function metricTables() {
  const everywhere = createMetrics();
  clockOffset({ query: async () => [] }, silentLog, everywhere);
  poolMetrics(everywhere, () => []);
  const status = async () => ({ domains: [], replicaLagMs: 0, deadLetters: null, servers: [], processes: [] });
  const ofGateway = gatewayMetrics({ waiting: () => [], pools: () => [], status }).registry;
  const ofThreads = fleetMetrics(() => []);
  return {
    Gateway: metricsTable([...(await describe(ofGateway, everywhere)), responseTimesMetric]),
    Writer: metricsTable(await describe(writerMetrics(0, () => []).registry, everywhere)),
    Ranker: metricsTable(await describe(rankerMetrics(0, [], () => []).registry, everywhere)),
    "Threads of writer and ranker": metricsTable(await describe(ofThreads, everywhere)),
    "Every process": metricsTable((await describe(everywhere)).filter(({ name }) => watched.test(name))),
  };
}

/** The metrics of a registry that are not in `without`. */
async function describe(registry: Registry, without?: Registry) {
  const metrics = await registry.getMetricsAsJSON();
  return metrics
    .filter(({ name }) => without?.getSingleMetric(name) === undefined)
    .map(({ name, help, type }) => ({ name, help, type: String(type), labelNames: labelsOf(registry, name) }));
}

// prom-client's types lack it.
function labelsOf(registry: Registry, name: string): readonly string[] {
  const labels: unknown = Reflect.get(registry.getSingleMetric(name) ?? {}, "labelNames");
  return Array.isArray(labels) ? labels.map(String) : [];
}

function metricsTable(metrics: Metrics): string {
  return table(
    ["metric", "type", "labels", "unit", "meaning"],
    metrics.map(({ name, type, labelNames, help }) => {
      const labels = labelNames.map((label) => `\`${label}\``).join(", ");
      return [`\`${name}\``, type, labels === "" ? "none" : labels, unitOf(name), help];
    }),
  );
}

/** As Prometheus names units. */
function unitOf(name: string): string {
  if (/_seconds(_|$)/.test(name)) return "s";
  return /_bytes(_total)?$/.test(name) ? "bytes" : "number";
}
