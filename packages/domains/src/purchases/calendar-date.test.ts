import { fieldIn, InvalidInput, type Sources } from "@tally/contract";
import { expect, onTestFinished, test, vi } from "vitest";
import { isUpToTomorrowEverywhere, isUpToTomorrowSomewhere, parseCalendarDate } from "./calendar-date.ts";
import { checkPurchase } from "./currency.ts";
import { purchases } from "./purchases.ts";
import { checkTimes, expectUpToTomorrow } from "./registry.ts";

test("accepts every day of four centuries and no other eight digits", () => {
  let dates = 0;
  for (let year = 1900; year < 2300; year++) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const text = `${year}${String(month).padStart(2, "0")}${String(day).padStart(2, "0")}`;
        const real = new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10).replaceAll("-", "") === text;
        if (real) {
          dates++;
          if (parseCalendarDate("date", text) !== Number(text)) throw new Error(text);
        } else if (!rejects(text)) throw new Error(`accepted ${text}`);
      }
    }
  }
  expect(dates).toBe(146_097);
});

test.each([
  "",
  "2026112",
  "202611200",
  "2026-1-1",
  "20261120 ",
  "abcdefgh",
  "00000101",
  "00010101",
  "09991231",
  "2026112a",
  "+2026112",
])("rejects %j", (text) => {
  expect(rejects(text)).toBe(true);
});

test("a new sale is of tomorrow in the zone of its store at the latest, by the clock at that moment", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ now: Date.UTC(2030, 1, 27, 9, 59, 59) });
  const zones = ["Pacific/Honolulu", "UTC", "Pacific/Kiritimati"];
  const isAccepted = (run: () => unknown): boolean => {
    try {
      return run() !== false;
    } catch (error) {
      expect(error).toHaveProperty("message", expect.stringContaining("date: expected a date up to tomorrow in the"));
      return false;
    }
  };
  // Accepted without the zone, in each zone, and in at least one zone.
  const accepts = (date: number) => [
    isAccepted(() => isUpToTomorrowEverywhere(date)),
    ...zones.map((zone) => isAccepted(() => expectUpToTomorrow({ zone, closingHour: 6 }, date))),
    isAccepted(() => isUpToTomorrowSomewhere(date)),
  ];
  expect(accepts(20300227)).toEqual([true, true, true, true, true]);
  expect(accepts(20300228)).toEqual([false, false, true, true, true]);
  expect(accepts(20300301)).toEqual([false, false, false, false, false]);
  vi.setSystemTime(Date.UTC(2030, 1, 27, 10));
  expect(accepts(20300228)).toEqual([false, true, true, true, true]);
  expect(accepts(20300301)).toEqual([false, false, false, true, true]);
  vi.setSystemTime(Date.UTC(2030, 1, 27, 12));
  expect(accepts(20300228)).toEqual([true, true, true, true, true]);
  const check = (readNewest: Sources["readNewest"], date = 20300301) =>
    checkTimes({ id: "", storeId: 1, date }, { readNewest });
  const zoneIs =
    (zone: string): Sources["readNewest"] =>
    async (read, key) =>
      read.ofRows([{ zone, closingHour: 0 }], key);
  await expect(check(zoneIs("UTC"))).rejects.toThrow("date: expected a date up to tomorrow in the store's time zone");
  // The registry cannot be read, or has a zone that this process does not know.
  await expect(check(() => Promise.reject(new Error()))).resolves.toBeUndefined();
  await expect(check(zoneIs("Mars/Base"))).resolves.toBeUndefined();
  await expect(check(zoneIs("Mars/Base"), 20300302)).rejects.toThrow("date: expected");
  for (const date of [20300302, 99991231]) expect(accepts(date)).not.toContain(true);
  // The clock was ahead.
  vi.setSystemTime(Date.UTC(2030, 1, 26, 12));
  expect(accepts(20300228)).toEqual([false, false, false, true, true]);
  const unchecked = purchases.routes.filter(
    (route) => ![checkPurchase, checkTimes].some((one) => one === fieldIn(route, "check")),
  );
  expect(unchecked.map(({ path }) => path)).toEqual(["/purchases/:eventID/void", "/voids"]);
});

function rejects(text: string): boolean {
  try {
    parseCalendarDate("date", text);
    return false;
  } catch (error) {
    return error instanceof InvalidInput;
  }
}
