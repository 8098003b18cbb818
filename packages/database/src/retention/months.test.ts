import { expect, test } from "vitest";
import { addMonths, monthOf, monthsBetween } from "./months.ts";
import { firstKeptMonth, isHostAhead } from "./retain.ts";
import { surelyRetainedFrom } from "./retained-from.ts";

test.each([
  ["2026-11", -13, "2025-10"],
  ["2026-01", -1, "2025-12"],
  ["2025-12", 1, "2026-01"],
  ["2025-12", 0, "2025-12"],
  ["1000-01", -1, "0999-12"],
])("%s and %i months is %s", (month, count, expected) => {
  expect(addMonths(month, count)).toBe(expected);
});

test("months between two are all months, also over the end of a year", () => {
  expect(monthsBetween("2025-11", "2026-02")).toEqual(["2025-11", "2025-12", "2026-01", "2026-02"]);
  expect(monthsBetween("2026-02", "2026-01")).toEqual([]);
});

test("no month is removed that ended less than 31 days ago", () => {
  expect(firstKeptMonth(1, Date.parse("2026-03-01T00:00Z"))).toBeUndefined();
  expect(firstKeptMonth(1, Date.parse("2026-03-04T00:00Z"))).toBe("2026-02");
  expect(firstKeptMonth(13, Date.parse("2026-11-22T23:59Z"))).toBe("2025-10");
});

test("whatever may be removed at any time is checked, also by a clock that is up to a day behind or ahead", () => {
  for (let now = Date.parse("2026-01-01T00:00Z"); now < Date.parse("2028-01-02T00:00Z"); now += 21_600_000) {
    const firstKept = firstKeptMonth(1, now) ?? firstKeptMonth(2, now);
    const [year = "", month = ""] = (firstKept ?? "").split("-");
    const firstDay = Number(`${year}${month}01`);
    for (const skewMs of [-86_400_000, 0, 86_400_000])
      expect(surelyRetainedFrom(now + skewMs)).toBeGreaterThanOrEqual(firstDay);
    expect(firstKept).not.toBe(monthOf(now));
  }
});

test.each([
  [-32, false],
  [0, false],
  [1, false],
  [32, true],
])("on any day, a host %i days ahead of the database is ahead: %s", (days, expected) => {
  for (let host = Date.parse("2026-01-01T00:00Z"); host < Date.parse("2028-01-02T00:00Z"); host += 21_600_000) {
    const keepMonths = firstKeptMonth(1, host) === undefined ? 2 : 1;
    expect(isHostAhead(keepMonths, host, host - days * 86_400_000)).toBe(expected);
  }
});
