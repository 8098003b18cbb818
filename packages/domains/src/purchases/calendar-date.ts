import { InvalidInput, utcDayOf } from "@tally/contract";
import { Type } from "typebox";

const expected = "a calendar date as yyyymmdd, from 10000101 on";
// MySQL does not guarantee earlier dates, and reads 00010101 as the year 2001.
const firstYear = 1000;

export function dateTexts(expectedText: string, pattern: string) {
  const numbers = { type: "integer", minimum: 10_000_101, maximum: 99_991_231 };
  return Type.String({ expected: expectedText, documented: { anyOf: [numbers, { type: "string", pattern }] } });
}

/** A date in a path or a query; parseCalendarDate checks it. */
export const DateText = dateTexts("a calendar date as yyyymmdd", "^[0-9]{8}$");

/** In a body; parseCalendarDate checks it. */
export const BusinessDate = Type.Union([Type.String(), Type.Integer()], { expected: "a calendar date as yyyymmdd" });

/** "20261120" → 20261120. Throws InvalidInput for a date that does not exist, such as the 30th of February, and for
 * years before 1000. */
export function parseCalendarDate(field: string, text: string, expectedText = expected): number {
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(4, 6));
  const day = Number(text.slice(6));
  if (!/^[0-9]{8}$/.test(text) || year < firstYear || month < 1 || month > 12 || day < 1 || day > daysOf(year, month))
    throw new InvalidInput(field, expectedText, text);
  return year * 10_000 + month * 100 + day;
}

const hourMs = 3_600_000;
let tomorrow = { hour: 0, first: 0, last: 0 };

/** Tomorrow in the zones that are farthest behind and ahead, UTC-12 and UTC+14. Both change by the hour. */
function tomorrowNow() {
  const hour = Math.floor(Date.now() / hourMs);
  const dayAfter = (hours: number) => utcDayOf((hour + hours) * hourMs);
  if (hour !== tomorrow.hour) tomorrow = { hour, first: dayAfter(12), last: dayAfter(38) };
  return tomorrow;
}

/** Whether a date is tomorrow at the latest in some time zone. */
export const isUpToTomorrowSomewhere = (date: number): boolean => date <= tomorrowNow().last;

/** Whether a date is tomorrow at the latest in every time zone: nearly all sales. */
export const isUpToTomorrowEverywhere = (date: number): boolean => date <= tomorrowNow().first;

const daysOf = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();
