import { keyedRead, type Sources } from "@tally/contract";
import { Type } from "typebox";
import { businessDayOf, dateAfter, utcClock, type StoreClock } from "./business-day.ts";
import { parseCalendarDate } from "./calendar-date.ts";

const expected = "a calendar date as yyyymmdd, today or yesterday";

/** A business day in a query; resolveDate checks it. */
export const DayText = Type.String({
  expected,
  documented: { type: "string", pattern: "^([0-9]{8}|today|yesterday)$" },
});

const clocks = keyedRead({
  select: "SELECT store_id, zone, closing_hour AS closingHour FROM stores WHERE store_id IN (?)",
  key: ["store_id"],
  keysMax: 1000,
  ofRows: ([row]: readonly (StoreClock & { readonly store_id: number })[]): StoreClock | undefined =>
    row && { zone: row.zone, closingHour: row.closingHour },
});

/** The clock of a store; undefined: it is not registered. It is that of the last PUT, on any gateway. */
export const registeredClock = ({ readNewest }: Pick<Sources, "readNewest">, storeId: number) =>
  readNewest(clocks, [storeId]);

/** A business day, as yyyymmdd. `today` and `yesterday` are those of the store, of UTC if it is not registered or there
 * is no store. Throws InvalidInput. A date takes no I/O. */
export async function resolveDate(
  sources: Pick<Sources, "readNewest">,
  storeId: number | undefined,
  text: string,
  field = "date",
): Promise<number> {
  if (text !== "today" && text !== "yesterday") return parseCalendarDate(field, text, expected);
  const clock = storeId === undefined ? undefined : await registeredClock(sources, storeId);
  return dateAfter(businessDayOf(clock ?? utcClock, Date.now()), text === "today" ? 0 : -1);
}
