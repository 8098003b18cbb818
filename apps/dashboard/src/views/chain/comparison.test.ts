import { expect, test } from "vitest";
import { drainText } from "../../parts/format.ts";
import { attentionOf } from "./attention.ts";
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
  expect([shownOf({ quantity: 5, netSales: "9.5000" }), shownOf({ quantity: 5, netSales: "0.0000" })]).toEqual([
    "netSales",
    "quantity",
  ]);
  expect([
    figureText({ quantity: 1234, netSales: "1234.5000" }, "netSales"),
    figureText({ quantity: 1 }, "netSales"),
  ]).toEqual(["1,234.50", "–"]);
});

test("alerts count while a ranker has looked for them in the last five minutes", () => {
  const lookedAt = Date.parse("2026-11-26T12:00:00Z");
  const alert = { rule: "silent" as const, storeID: 7, since: "2026-11-26T11:00:00Z", text: "" };
  const body = { date: "20261126", zone: "UTC", asOf: null, quantity: 0, hours: [], regions: [] };
  const sales = {
    ...body,
    alertsAsOf: "2026-11-26T12:00:00Z",
    alerts: [alert, { ...alert, rule: "surge" as const }],
  };
  expect(attentionOf(sales, lookedAt + 299_000)).toEqual({
    count: 2,
    text: "1 silent, 0 with wrong dates, 1 other: store 7, …",
  });
  const cut = [...Array.from({ length: 200 }, () => alert), ...sales.alerts.slice(1)];
  expect(attentionOf({ ...sales, alerts: cut }, lookedAt)).toEqual({
    count: "201 or more",
    text: expect.stringMatching(/^200 or more silent, 0 with wrong dates, 1 other: /),
  });
  expect(attentionOf(sales, lookedAt + 301_000)).toEqual({
    count: undefined,
    text: expect.stringContaining("not looked for since"),
  });
  expect(attentionOf({ ...sales, alertsAsOf: null }, lookedAt).count).toBeUndefined();
  const none = { ...sales, alerts: [] };
  const sold = { quantity: 1 };
  expect(attentionOf(none, lookedAt)).toEqual({ count: 0, text: expect.stringContaining("sales of a week ago") });
  const weekAgo = { ...sold, date: "20261119", day: sold };
  expect(attentionOf({ ...none, weekAgo }, lookedAt).text).toBe("No store is silent, and no alert is on.");
});

test("nothing waits only where no time is needed", () => {
  expect([0, 0.01, 12, null].map(drainText)).toEqual([
    "nothing waits",
    "less than 1 s to drain",
    "12 s to drain",
    "time to drain unknown",
  ]);
});
