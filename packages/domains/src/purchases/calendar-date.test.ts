import { InvalidInput } from "@tally/contract";
import { expect, onTestFinished, test, vi } from "vitest";
import { parseBusinessDate, parseCalendarDate } from "./calendar-date.ts";

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

test("a new sale is of tomorrow in UTC at the latest, by the clock at that moment", () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ now: Date.UTC(2030, 1, 27, 23, 59, 59) });
  const latest = (dates: readonly string[]) => dates.filter((text) => parseBusinessDate("date", text) === Number(text));
  expect(latest(["10000101", "20300227", "20300228"])).toHaveLength(3);
  expect(() => latest(["20300301"])).toThrow('date: expected a date up to tomorrow (UTC), got "20300301"');
  vi.setSystemTime(Date.UTC(2030, 1, 28));
  expect(latest(["20300301"])).toHaveLength(1);
  for (const date of ["20300302", "99991231"]) expect(() => latest([date])).toThrow("up to tomorrow");
});

function rejects(text: string): boolean {
  try {
    parseCalendarDate("date", text);
    return false;
  } catch (error) {
    return error instanceof InvalidInput;
  }
}
