import { expect, test } from "vitest";
import { orderOfRound } from "./order-of-rounds.ts";

test("each odd round reverses the one before, and each pair begins with another setting", () => {
  const order = [0, 1, 2, 3, 4, 5].map((round) => orderOfRound(["a", "b", "c"], round).join(""));
  expect(order).toEqual(["abc", "cba", "bca", "acb", "cab", "bac"]);
});

test("every round has every setting once", () => {
  for (let round = 0; round < 9; round++)
    expect(orderOfRound([1, 2, 3, 4, 5], round).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
});
