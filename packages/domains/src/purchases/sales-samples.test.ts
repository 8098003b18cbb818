import { expect, test } from "vitest";
import { soldAt } from "./sales-samples.ts";

const quarterMs = 900_000;

test("within a quarter of an hour sums are in proportion; many receipts are those of its beginning", () => {
  const at = (atMs: number, ...receipts: readonly number[]) => {
    const samples = receipts.map((one, slot) => ({ slot, quantity: 150 * slot, net: null, receipts: one }));
    const { quantity, receipts: shown } = soldAt(samples, atMs, (one) => one);
    return [quantity, shown];
  };
  expect(at(quarterMs / 3, 30)).toEqual([0, 10]);
  expect(at((4 * quarterMs) / 3, 30, 60)).toEqual([50, 40]);
  expect(at(3 * quarterMs, 30, 60)).toEqual([150, 60]);
  expect(at((4 * quarterMs) / 3, 600_000, 630_000)).toEqual([50, 630_000]);
});
