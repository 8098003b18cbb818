import { Counter, Histogram } from "prom-client";
import { expect, test } from "vitest";
import { createMetrics, mergeMetrics } from "./metrics.ts";

test("metrics of threads are separate from those of other threads, and those of the process come once", async () => {
  const main = createMetrics();
  new Counter({ name: "rows_total", help: "rows", registers: [main] }).inc(5);
  const text = await mergeMetrics(main, structuredClone([await thread(0, 2), await thread(1, 3)]));
  expect(text).toMatch(/^rows_total 5$/m);
  expect(text).toMatch(/^rows_total\{thread="0"\} 2$/m);
  expect(text).toMatch(/^rows_total\{thread="1"\} 3$/m);
  expect(text).toMatch(/^batch_seconds_bucket\{le="1",kind="a",thread="1"\} 1$/m);
  expect(text).toMatch(/^batch_seconds_count\{kind="a",thread="1"\} 1$/m);
  expect(text.match(/^# TYPE rows_total counter$/gm)).toHaveLength(1);
  for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds"])
    expect(text.match(new RegExp(`^${name}\\b`, "gm"))).toEqual([name]);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds\{thread="0"\} /m);
});

async function thread(index: number, rows: number): Promise<object> {
  const registry = createMetrics(index);
  new Counter({ name: "rows_total", help: "rows", registers: [registry] }).inc(rows);
  const histogram = { name: "batch_seconds", help: "batches", labelNames: ["kind"], buckets: [1] };
  new Histogram({ ...histogram, registers: [registry] }).observe({ kind: "a" }, 0.5);
  return registry.getMetricsAsJSON();
}
