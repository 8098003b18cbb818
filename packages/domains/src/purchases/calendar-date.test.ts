import { InvalidInput } from "@tally/contract";
import { expect, test } from "vitest";
import { parseCalendarDate } from "./calendar-date.ts";

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

function rejects(text: string): boolean {
  try {
    parseCalendarDate("date", text);
    return false;
  } catch (error) {
    return error instanceof InvalidInput;
  }
}
