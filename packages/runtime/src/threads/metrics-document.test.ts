import { createMetrics } from "../service/metrics.ts";
import { describeMetrics, expectMetrics } from "../service/expect-metrics.ts";
import { test } from "vitest";
import { fleetMetrics } from "./fleet-metrics.ts";

test("docs/operations.md lists the metrics of writer and ranker", async () => {
  expectMetrics(
    "### Of writer and ranker",
    await describeMetrics(
      fleetMetrics(() => []),
      createMetrics(),
    ),
  );
});
