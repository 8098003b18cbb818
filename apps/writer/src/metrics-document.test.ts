import { createMetrics } from "@tally/runtime";
import { describeMetrics, expectMetrics } from "@tally/runtime/expect-metrics";
import { test } from "vitest";
import { writerMetrics } from "./writer-metrics.ts";

test("docs/operations.md lists the metrics of the writer", async () => {
  const { registry } = writerMetrics(0, () => []);
  expectMetrics("### Of the writer", await describeMetrics(registry, createMetrics()));
});
