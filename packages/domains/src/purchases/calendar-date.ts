import { InvalidInput } from "@tally/contract";
import { Type } from "typebox";

const expected = "a calendar date as yyyymmdd, from 10000101 on";
// MySQL does not guarantee earlier dates, and reads 00010101 as the year 2001.
const firstYear = 1000;

/** A date in a path or a query; parseCalendarDate checks it. */
export const DateText = Type.String({
  expected: "a calendar date as yyyymmdd",
  documented: {
    anyOf: [
      { type: "integer", minimum: 10_000_101, maximum: 99_991_231 },
      { type: "string", pattern: "^[0-9]{8}$" },
    ],
  },
});

/** "20261120" → 20261120. Throws InvalidInput for a date that does not exist, such as the 30th of February, and for
 * years before 1000. */
export function parseCalendarDate(field: string, text: string): number {
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(4, 6));
  const day = Number(text.slice(6));
  if (!/^[0-9]{8}$/.test(text) || year < firstYear || month < 1 || month > 12 || day < 1 || day > daysOf(year, month))
    throw new InvalidInput(field, expected, text);
  return year * 10_000 + month * 100 + day;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
