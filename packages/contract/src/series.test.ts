import { expect, test } from "vitest";
import { dayOfSeries, firstKeptDay, firstLiveDay, isKept, keptSince, seriesOfBoard } from "./series.ts";

test("days are live from the one before yesterday (UTC) on, and kept a day longer", () => {
  const now = Date.UTC(2027, 2, 1, 23, 59);
  expect([firstLiveDay(now), firstKeptDay(now), firstLiveDay(now + 60_000)]).toEqual([20270227, 20270226, 20270228]);
  const settings = { windows: ["all", "day"], by: ["netSales"] } as const;
  expect(keptSince(settings, now)).toEqual({ measures: ["netSales"], from: 20270227 });
  expect(keptSince({ ...settings, windows: ["all"] }, now)).toEqual({ measures: ["netSales"] });
});

test.each([
  ["item:42", "", undefined, true],
  ["a board without a series", "", undefined, true],
  ["20270227/store:7", "20270227", 20270227, true],
  ["20270226/store:7", "20270226", 20270226, false],
  ["netSales/item:42", "netSales", undefined, true],
  ["20270228/netSales/item:1/2", "20270228/netSales", 20270228, true],
  ["grossSales/item:42", "grossSales", undefined, false],
  ["20270228/grossSales/item:42", "20270228/grossSales", 20270228, false],
])("%s is of the series %j", (board, series, day, is) => {
  expect([seriesOfBoard(board), dayOfSeries(series)]).toEqual([series, day]);
  expect(isKept(series, { measures: ["netSales"], from: 20270227 })).toBe(is);
  expect(isKept(series, { measures: ["netSales"] })).toBe(is && day === undefined);
});
