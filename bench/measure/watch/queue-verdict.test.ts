import { expect, test } from "vitest";
import { queueVerdictOf } from "./queue-verdict.ts";

const verdictOf = (depths: readonly number[], max = 10_000) =>
  queueVerdictOf(depths.map((queued) => ({ queued, fullness: queued / max })));
const series = (length: number, depthAt: (at: number) => number) => Array.from({ length }, (_, at) => depthAt(at));
/** Reproducible, from 0 to below 1. */
const noise = (at: number) => Math.abs((Math.sin(at * 12.9898) * 43_758.5453) % 1);
const swinging = (at: number) => 20 + 20 * noise(at);

test("a level queue is at a plateau, even if it oscillates, falls, or rose before", () => {
  expect(verdictOf(series(60, () => 0))).toBe("plateau");
  expect(verdictOf(series(60, swinging))).toBe("plateau");
  expect(verdictOf(series(60, (at) => Math.min(at, 20) * 100 + swinging(at)))).toBe("plateau");
  expect(verdictOf(series(60, (at) => 3000 - at * 40))).toBe("plateau");
});

test.each([40, 100, 160, 4000])("a queue that grows evenly to %i messages is at its peak", (most) => {
  for (const length of [9, 20, 60]) expect(verdictOf(series(length, (at) => (at / length) * most))).toBe("peak");
  expect(verdictOf(series(60, (at) => (at / 60) * most * 2 + swinging(at)))).toBe("peak");
});

test("late growth is no plateau", () => {
  expect(verdictOf(series(60, (at) => Math.max(0, at - 40) * 30))).toBe("peak");
});

test("a queue at its limit is full, whether it is level or oscillates below", () => {
  expect(verdictOf(series(60, (at) => Math.min(at * 500, 10_000)))).toBe("full");
  expect(verdictOf(series(60, (at) => 8000 + (at % 10) * 200))).toBe("full");
  // It rejects messages until it has drained to 8,000.
  expect(verdictOf(series(60, (at) => (at < 12 ? at * 830 : 9994 - (at - 12) * 35)))).toBe("full");
  expect(verdictOf(series(60, (at) => 8000 + (at % 10) * 20))).toBe("plateau");
  expect(verdictOf(series(60, (at) => (at < 12 ? at * 830 : 9994 - (at - 12) * 150)))).toBe("plateau");
});

test("two observations are too few", () => {
  expect(verdictOf([0, 500])).toBeNull();
  expect(verdictOf([])).toBeNull();
});
