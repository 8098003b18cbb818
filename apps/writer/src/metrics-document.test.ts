import { createMetrics } from "@tally/service";
import { describeMetrics, expectMetrics } from "@tally/service/expect-metrics";
import { test } from "vitest";
import { writerMetrics } from "./writer-metrics.ts";

test("docs/operations.md lists the metrics of the writer", async () => {
  const { registry } = writerMetrics(0, () => []);
  expectMetrics("### Of the writer", await describeMetrics(registry, createMetrics()));
});
