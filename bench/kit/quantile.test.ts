import { expect, test } from "vitest";
import { quantile } from "./quantile.ts";

test("quantiles are interpolated, and 0 without values", () => {
  expect([0, 0.5, 0.75, 1].map((share) => quantile([4, 1, 3, 2, 5], share))).toEqual([1, 3, 4, 5]);
  expect(quantile([10, 20], 0.9)).toBeCloseTo(19);
  expect(quantile([], 0.5)).toBe(0);
});
