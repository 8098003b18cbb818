import { createMetrics } from "@tally/runtime";
import { describeMetrics, expectMetrics } from "@tally/runtime/expect-metrics";
import { test } from "vitest";
import { gatewayMetrics } from "./gateway-metrics.ts";
import { responseTimesMetric } from "./http/connection/response-times.ts";

test("docs/operations.md lists the metrics of the gateway", async () => {
  const status = async () => ({ domains: [], replicaLagMs: 0, deadLetters: null, servers: [], processes: [] });
  const { registry } = gatewayMetrics({ waiting: () => [], pools: () => [], status });
  expectMetrics("### Of the gateway", [...(await describeMetrics(registry, createMetrics())), responseTimesMetric]);
});
