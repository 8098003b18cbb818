import { createMetrics } from "@tally/service";
import { describeMetrics, expectMetrics } from "@tally/service/expect-metrics";
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
