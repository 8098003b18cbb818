import { expect, test, vi, onTestFinished } from "vitest";
import { businessDayOf, hoursOf } from "./business-day.ts";
import { HoursOfSales } from "./hours-of-sales.ts";
import { commonClock, dayOf, resolveDate } from "./registry.ts";
import type { CountedLine } from "./series.ts";

const hourMs = 3_600_000;

// zone, closing hour, date; hours listed, length of the day in hours, the hours around the change
test.each([
  ["America/New_York", 0, 20260308, 23, 23, ["01:00-05:00", "03:00-04:00"]],
  ["America/New_York", 2, 20260307, 24, 24, ["23:00-05:00", "00:00-05:00", "01:00-05:00"]],
  ["America/New_York", 2, 20260308, 23, 23, ["03:00-04:00", "04:00-04:00"]],
  ["America/New_York", 0, 20261101, 25, 25, ["01:00-04:00", "01:00-05:00", "02:00-05:00"]],
  ["America/New_York", 2, 20261031, 25, 25, ["01:00-04:00", "01:00-05:00"]],
  ["Australia/Lord_Howe", 0, 20260405, 25, 24.5, ["01:00+11:00", "01:30+10:30", "02:00+10:30"]],
  ["Australia/Lord_Howe", 0, 20261004, 24, 23.5, ["01:00+10:30", "02:30+11:00", "03:00+11:00"]],
  ["Africa/Cairo", 0, 20260424, 23, 23, ["01:00+03:00", "02:00+03:00"]],
  ["Africa/Cairo", 0, 20261029, 25, 25, ["23:00+03:00", "23:00+02:00"]],
  ["Asia/Kolkata", 6, 20260704, 24, 24, ["05:00+05:30"]],
] as const)("%s until %i on %i: %i hours add up to the day", (zone, closingHour, date, listed, length, around) => {
  const clock = { zone, closingHour };
  const hours = hoursOf(clock, date);
  const starts = hours.map(({ epochMilliseconds }) => epochMilliseconds);
  const [startMs = 0] = starts;
  const endMs = startMs + length * hourMs;
  const times = hours.map((hour) => hour.toString({ timeZoneName: "never", smallestUnit: "minute" }).slice(11));
  expect([times.length, times.join(" ")]).toEqual([listed, expect.stringContaining(around.join(" "))]);
  for (const at of [startMs, endMs - 1, ...starts]) expect(businessDayOf(clock, at)).toBe(date);
  for (const at of [startMs - 1, endMs]) expect(businessDayOf(clock, at)).not.toBe(date);

  const sales = new HoursOfSales(clock, date);
  const expected = { quantity: 0, grossSales: 0, netSales: 0, receipts: 0, returns: 0 };
  // Half an hour apart, from before the day until after it: [item, n, price 100, discount 7], and refunds of one.
  for (let n = 1, at = startMs - 2 * hourMs; at < endMs + 2 * hourMs; at += hourMs / 2, n++) {
    const isRefund = n % 5 === 0;
    const line: CountedLine = isRefund ? [1, -1, -93] : [1, n, 100, 7];
    sales.add(n % 9 === 0 ? null : at, [line], isRefund ? 0 : 1);
    expected.quantity += isRefund ? -1 : n;
    expected.grossSales += isRefund ? 0 : 100 * n;
    expected.netSales += isRefund ? -93 : 100 * n - 7;
    expected.receipts += isRefund ? 0 : 1;
    expected.returns += isRefund ? 93 : 0;
  }
  expect(sales.day).toEqual(expected);
  expect(sales.hours.length).toBe(listed + 1);
});

test("an hour that comes twice is two, and a time outside of the day is in the hour next to it", () => {
  const sales = new HoursOfSales({ zone: "America/New_York", closingHour: 0 }, 20261101);
  const sellAt = (text: string, quantity: number) =>
    sales.add(Temporal.Instant.from(text).epochMilliseconds, [[1, quantity]], 1);
  sellAt("2026-10-31T23:59:59-04:00", 1);
  sellAt("2026-11-01T01:59:59-04:00", 10);
  sellAt("2026-11-01T01:00:00-05:00", 100);
  sellAt("2026-11-02T00:10:00-05:00", 1000);
  expect(sales.hours.map(({ quantity }) => quantity)).toEqual([1, 10, 100, ...Array<number>(21).fill(0), 1000]);
});

test("today and yesterday are the store's, and go on until its closing hour", () => {
  vi.useFakeTimers({ now: Date.parse("2026-03-01T06:30:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  const clocks = [0, 2].map((closingHour) => ({ zone: "America/New_York", closingHour }));
  // It is 01:30 there.
  expect(clocks.map((clock) => dayOf(clock, "date", "today"))).toEqual([20260301, 20260228]);
  expect(clocks.map((clock) => dayOf(clock, "date", "yesterday"))).toEqual([20260228, 20260227]);
  expect(clocks.map((clock) => dayOf(clock, "date", "20260105"))).toEqual([20260105, 20260105]);
  expect(() => dayOf({ zone: "UTC", closingHour: 0 }, "from", "tomorrow")).toThrow(
    'from: expected a calendar date as yyyymmdd, today or yesterday, got "tomorrow"',
  );
});

test("without a store, today is the business day that most stores have", async () => {
  vi.useFakeTimers({ now: Date.parse("2026-03-01T03:30:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  // In Chicago and New York it is still the day before; no other zone alone has as many stores as UTC.
  const stores = [
    { zone: "UTC", closingHour: 0, stores: 4 },
    { zone: "America/Chicago", closingHour: 0, stores: 3 },
    { zone: "America/New_York", closingHour: 2, stores: 2 },
  ];
  expect(commonClock(stores, Date.now()).zone).toBe("America/Chicago");
  expect(commonClock(stores.toReversed(), Date.now()).zone).toBe("America/Chicago");
  expect(commonClock(stores.slice(0, 2), Date.now()).zone).toBe("UTC");
  expect(commonClock([], Date.now())).toEqual({ zone: "UTC", closingHour: 0 });
  const sources: Parameters<typeof resolveDate>[0] = {
    readNewest: (what, key) => Promise.resolve(what.ofRows(stores, key)),
  };
  expect(await resolveDate(sources, undefined, "today")).toBe(20260228);
});
