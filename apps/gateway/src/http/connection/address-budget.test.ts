import { expect, test } from "vitest";
import { AddressBudget } from "./address-limits.ts";

test("an address gets no more than its share, and all of them no more than the budget", () => {
  const budget = new AddressBudget(100, 60);
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
