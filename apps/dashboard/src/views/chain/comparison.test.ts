import { expect, test } from "vitest";
import { comparisonText, figureText, shownOf } from "./comparison.ts";

test("sales are compared with a week ago by the share of what was sold then", () => {
  const sold = (quantity: number) => ({ quantity });
  const text = (now: number, then?: number) =>
    comparisonText(sold(now), then === undefined ? undefined : sold(then), "quantity");
  expect([text(112, 100), text(90, 100), text(100, 100)]).toEqual([
    "12 % more than at this time a week ago",
    "10 % less than at this time a week ago",
    "as much as at this time a week ago",
  ]);
  expect([text(5), text(5, 0), text(5, -3)]).toEqual([
    "a week ago is not known",
    "0 at this time a week ago",
    "-3 at this time a week ago",
  ]);
  expect(comparisonText({ quantity: 1, netSales: "30" }, { quantity: 9 }, "netSales")).toBe("a week ago is not known");
});

test("money is shown, and units where sales have no prices", () => {
  expect([shownOf({ quantity: 5, netSales: "9.5" }), shownOf({ quantity: 5, netSales: "0" })]).toEqual([
    "netSales",
    "quantity",
  ]);
  expect([
    figureText({ quantity: 1234, netSales: "1234.5" }, "netSales"),
    figureText({ quantity: 1 }, "netSales"),
  ]).toEqual(["1,234.50", "–"]);
});
