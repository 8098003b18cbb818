import { expect, test } from "vitest";
import { chooseView, pathOf } from "./top-command.ts";

const path = (board: string, values: readonly string[], date?: string, limit?: number): string =>
  pathOf(chooseView(board, values, date), limit);

test("a board is found by its name, by its domain and name, and by its first parameter", () => {
  expect(path("store", ["12"])).toBe("/stores/12/top-items?limit=10");
  expect(path("top-items", ["12"])).toBe("/stores/12/top-items?limit=10");
  expect(path("item", ["4242"], undefined, 3)).toBe("/items/4242/top-stores?limit=3");
  expect(path("steps/top-users", ["7"])).toBe("/steps/top?limit=10&day=7");
  expect(path("swipes/top-users", [])).toBe("/swipes/top?limit=10");
});

test("a date chooses the board of a day; today is a date", () => {
  expect(path("store", ["12"], "20261120")).toBe("/stores/12/top-items?limit=10&date=20261120");
  expect(path("store", ["12"], "today")).toMatch(/&date=20\d{6}$/);
});

test("a parameter without a value is left out of the query, and values are escaped", () => {
  expect(path("top-skiers", ["a b&c", "3"])).toBe("/resort/day/top10vert?resort=a%20b%26c&dayID=3");
  expect(path("top-skiers", ["a", "3", "2026"])).toBe("/resort/day/top10vert?resort=a&dayID=3&season=2026");
});

test.each([
  ["shop", [], undefined, "shop: expected one of purchases/top-items, "],
  ["top-users", [], undefined, "top-users: expected one of swipes/top-users, steps/top-users"],
  ["item", ["1"], "20261120", "--date: item has no boards of days"],
  ["store", ["1", "2"], undefined, "top-items: expected at most 1 values, got 2"],
  ["top-albums", ["stars"], undefined, "by: expected one of likes, dislikes, got stars"],
])("wrong usage names what was expected: %s %j", (board, values, date, message) => {
  expect(() => path(board, values, date)).toThrow(message);
});
