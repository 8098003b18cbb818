import { expect, test } from "vitest";
import { chooseView, pathOf, textOf } from "./top-command.ts";

const path = (board: string, values: readonly string[], flags: Parameters<typeof chooseView>[2] = {}): string =>
  pathOf(chooseView(board, values, flags), undefined);

test("a board is found by its name, by its domain and name, and by its first parameter", () => {
  expect(path("store", ["12"])).toBe("/stores/12/top-items?limit=10&by=quantity");
  expect(path("top-items", ["12"])).toBe("/stores/12/top-items?limit=10&by=quantity");
  expect(pathOf(chooseView("item", ["4242"], {}), 3)).toBe("/items/4242/top-stores?limit=3&by=quantity");
  expect(() => pathOf(chooseView("top-skiers", ["a", "3"], {}), 3)).toThrow("--limit: top-skiers has no limit");
  expect(path("steps/top-users", ["7"])).toBe("/steps/top?limit=10&day=7");
  expect(path("swipes/top-users", [])).toBe("/swipes/top?limit=10");
});

test("flags choose the days and the measure; today is the store's", () => {
  expect(path("store", ["12"], { date: "20261120" })).toBe("/stores/12/top-items?limit=10&date=20261120&by=quantity");
  expect(path("store", ["12"], { date: "today", by: "netSales" })).toMatch(/&date=today&by=netSales$/);
  expect(path("item", ["4"], { from: "20261101", to: "20261128" })).toMatch(/&from=20261101&to=20261128$/);
  const days = path("chain-items", [], { from: "20261101", to: "20261128" });
  expect(days).toBe("/chain/top-items?limit=10&by=quantity&from=20261101&to=20261128");
  expect(path("store", ["12"], { offset: "20" })).toMatch(/&offset=20$/);
  const body = { name: "Harbor", items: [{ itemID: 9, quantity: 4 }] };
  const further = textOf(chooseView("store", ["12"], { offset: "20" }), body);
  expect(further).toMatch(/, Harbor\n[^]*^ *21 +9 +4$/m);
  const amounts = ["6.4700", "-0.5000", "7.0000", "1.2050", "0.0001"].map((netSales) => ({ itemID: 9, netSales }));
  expect(
    textOf(chooseView("store", ["12"], { by: "netSales" }), { items: amounts })
      .match(/\S+$/gm)
      ?.slice(2),
  ).toEqual(["6.47", "-0.50", "7.00", "1.205", "0.0001"]);
  expect(path("top-albums", [], { by: "dislikes" })).toMatch(/&by=dislikes$/);
});

test("a parameter without a value is left out of the query, and values are escaped", () => {
  expect(path("top-skiers", ["a b&c", "3"])).toBe("/resort/day/top10vert?resort=a%20b%26c&dayID=3");
  expect(path("top-skiers", ["a", "3", "2026"])).toBe("/resort/day/top10vert?resort=a&dayID=3&season=2026");
});

test.each([
  ["shop", [], {}, "shop: expected one of purchases/top-items, "],
  ["top-users", [], {}, "top-users: expected one of steps/top-users, swipes/top-users"],
  ["steps/top-users", ["1"], { from: "20261120" }, "--from: top-users has no choice of days"],
  ["swipes/top-users", [], { offset: "5" }, "--offset: top-users has no offset"],
  ["swipes/top-users", [], { by: "likes" }, "--by: top-users has no choice of measures"],
  ["store", ["1", "2"], { date: "2", by: "quantity" }, "top-items: expected at most 1 values, got 2"],
  ["store", ["1"], { by: "cost" }, "by: expected one of quantity, grossSales, netSales, got cost"],
  ["top-albums", ["stars"], {}, "by: expected one of likes, dislikes, got stars"],
])("wrong usage names what was expected: %s %j", (board, values, flags, message) => {
  expect(() => path(board, values, flags)).toThrow(message);
});
