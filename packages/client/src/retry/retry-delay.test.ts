import { expect, test } from "vitest";
import { retryAfterMs, retryDelayMs } from "./retrying-fetch.ts";

const range = { firstDelayMs: 100, longestDelayMs: 1000 };
const many = (make: () => number): readonly number[] => Array.from({ length: 500 }, make);

test("the delay doubles with each failure up to the longest, minus a random part of at most half", () => {
  const ceilings = [100, 200, 400, 800, 1000, 1000];
  for (const [index, ceiling] of ceilings.entries()) {
    const delays = many(() => retryDelayMs(index + 1, range));
    expect(Math.max(...delays)).toBeLessThanOrEqual(ceiling);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(ceiling / 2);
    expect(new Set(delays).size).toBeGreaterThan(400);
  }
  expect(retryDelayMs(5000, range)).toBeLessThanOrEqual(1000);
});

test("with Retry-After the delay is never shorter, and clients do not return together", () => {
  const delays = many(() => retryDelayMs(2, range, 2000));
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(2000);
  expect(Math.max(...delays)).toBeLessThanOrEqual(2200);
  expect(new Set(delays).size).toBeGreaterThan(400);
});

test.each([
  ["2", 2000],
  [" 0 ", 0],
  ["Sun, 22 Nov 2026 12:00:05 GMT", 5000],
  ["Sun, 22 Nov 2026 11:00:00 GMT", 0],
  ["soon", undefined],
  ["-1s", undefined],
])("Retry-After: %s is %s ms", (value, expected) => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  expect(retryAfterMs(new Headers({ "retry-after": value }), now)).toBe(expected);
});

test("without Retry-After there is no such delay", () => expect(retryAfterMs(new Headers())).toBeUndefined());
