import { expect, test } from "vitest";
import { describeMetrics, expectMetrics } from "./expect-metrics.ts";
import { createMetrics } from "./metrics.ts";

test("docs/operations.md lists the metrics of every process", async () => {
  const metrics = await describeMetrics(createMetrics());
  expect(metrics.length).toBeGreaterThan(20);
  expectMetrics("### Of every process", metrics);
});
