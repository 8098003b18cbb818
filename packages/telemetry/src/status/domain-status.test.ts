import { expect, test } from "vitest";
import { secondsToDrain, type Holder } from "./domain-status.ts";

const waiting = (ingest: number, rank: number, stored: number, ranked: number, holders: readonly Holder[] = []) =>
  secondsToDrain({ batches: { ingest, rank }, eventsPerBatch: 100, stored, ranked, holders });

test("what waits, divided by the rate of the slower stage", () => {
  // 10,000 events at 1,000/s; ranking them is faster.
  expect(waiting(100, 0, 1000, 5000)).toBe(10);
  // Ranking is slower, and has the events of both queues before it.
  expect(waiting(100, 50, 1000, 500)).toBe(30);
  expect(waiting(0, 50, 0, 500)).toBe(10);
});

test("0 when nothing waits, whatever the rates", () => {
  expect(waiting(0, 0, 0, 0)).toBe(0);
});

test("null when something waits and a stage does not progress", () => {
  expect(waiting(100, 0, 0, 500)).toBeNull();
  expect(waiting(100, 0, 500, 0)).toBeNull();
  expect(waiting(0, 3, 500, 0)).toBeNull();
});

test("one process that stands still with its batches is seen beside others that progress", () => {
  const works = { batches: 3, batchesPerSecond: 100 };
  expect(waiting(19, 0, 10_000, 10_000, [works, { batches: 16, batchesPerSecond: 2 }])).toBe(8);
  expect(waiting(19, 0, 10_000, 10_000, [works, { batches: 16, batchesPerSecond: 0 }])).toBeNull();
  expect(waiting(3, 0, 10_000, 10_000, [works, { batches: 0, batchesPerSecond: 0 }])).toBe(0);
});

test("a batch on its way through an idle system is not minutes", () => {
  expect(waiting(1, 1, 0.5, 0.5)).toBe(1);
});
