import { createMetrics } from "@tally/runtime";
import { describeMetrics, expectMetrics } from "@tally/runtime/expect-metrics";
import { test } from "vitest";
import { rankerMetrics } from "./ranker-metrics.ts";

test("docs/operations.md lists the metrics of the ranker", async () => {
  const { registry } = rankerMetrics(0, [], () => []);
  expectMetrics("### Of the ranker", await describeMetrics(registry, createMetrics()));
});
