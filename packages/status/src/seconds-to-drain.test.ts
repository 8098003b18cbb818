import { expect, test } from "vitest";
import { secondsToDrain } from "./seconds-to-drain.ts";

const waiting = (ingest: number, rank: number, stored: number, ranked: number) =>
  secondsToDrain({ batches: { ingest, rank }, eventsPerBatch: 100, stored, ranked });

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

test("a batch on its way through an idle system is not minutes", () => {
  expect(waiting(1, 1, 0.5, 0.5)).toBe(1);
});
