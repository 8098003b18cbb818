import { expect, test } from "vitest";
import { ByteBudget } from "./byte-budget.ts";

test("an address gets no more than its share, and all of them no more than the budget", () => {
  const budget = new ByteBudget(100, 0.6);
  expect(budget.take("a", 60)).toBe(true);
  expect(budget.take("a", 1)).toBe(false);
  expect(budget.take("b", 40)).toBe(true);
  expect(budget.take("c", 1)).toBe(false);
  budget.release("a", 30);
  expect(budget.take("c", 30)).toBe(true);
  expect(budget.take("a", 1)).toBe(false);
  budget.release("c", 30);
  expect(budget.take("a", 30)).toBe(true);
});
