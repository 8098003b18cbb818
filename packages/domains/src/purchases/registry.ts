import { InvalidInput, keyedRead, type Sources } from "@tally/contract";
import { businessDayOf, dateAfter, utcClock, zoneNamed, type StoreClock } from "./business-day.ts";
import { dateTexts, isUpToTomorrowEverywhere, isUpToTomorrowSomewhere, parseCalendarDate } from "./calendar-date.ts";
import type { PurchaseEvent } from "./event.ts";
import { expectSold, isSold } from "./sold-at.ts";

const expected = "a calendar date as yyyymmdd, today or yesterday";

/** A business day in a query; resolveDate checks it. */
export const DayText = dateTexts(expected, "^([0-9]{8}|today|yesterday)$");

const storeClocks = keyedRead({
  select: "SELECT store_id, zone, closing_hour AS closingHour FROM stores WHERE store_id IN (?)",
  key: ["store_id"],
  keysMax: 1000,
  ofRows: ([row]: readonly (StoreClock & { readonly store_id: number })[]): StoreClock | undefined =>
    row && { zone: row.zone, closingHour: row.closingHour },
});

interface ClocksRow extends StoreClock {
  readonly stores: number;
}

export const selectClocks =
  "SELECT zone, closing_hour AS closingHour, COUNT(*) AS stores FROM stores GROUP BY zone, closing_hour";

/** The most frequent clock with the business day that most of these stores have. */
export function commonClock(clocks: readonly ClocksRow[], nowMs: number): StoreClock {
  const byDay = Map.groupBy(clocks, (clock) => businessDayOf(clock, nowMs));
  const count = (of: readonly ClocksRow[]) => of.reduce((sum, { stores }) => sum + stores, 0);
  const mostOf = [...byDay.values()].toSorted((one, other) => count(other) - count(one))[0] ?? [];
  return mostOf.toSorted((one, other) => other.stores - one.stores)[0] ?? utcClock;
}

const chainClock = keyedRead({
  select: selectClocks,
  values: () => [],
  ofRows: (rows: readonly ClocksRow[]) => commonClock(rows, Date.now()),
});

type Newest = Pick<Sources, "readNewest">;

/** That of most registered stores: it decides which day is today without a store. */
export const clockOfChain = ({ readNewest }: Newest) => readNewest(chainClock, []);

/** The clock of a store; undefined: it is not registered. It is that of the last PUT, on any gateway. */
export const registeredClock = ({ readNewest }: Newest, storeId: number) => readNewest(storeClocks, [storeId]);

/** A business day, as yyyymmdd. `today` and `yesterday` are those of the store, of UTC if it is not registered; without
 * a store, those of the chain. Throws InvalidInput. A date takes no I/O. */
export async function resolveDate(sources: Newest, storeId: number | undefined, text: string) {
  const needsClock = text === "today" || text === "yesterday";
  const clockRead = storeId === undefined ? clockOfChain : (from: Newest) => registeredClock(from, storeId);
  return dayOf((needsClock ? await clockRead(sources) : undefined) ?? utcClock, "date", text);
}

/** The same by the clock of the store. */
export function dayOf(clock: StoreClock, field: string, text: string): number {
  if (text !== "today" && text !== "yesterday") return parseCalendarDate(field, text, expected);
  return dateAfter(businessDayOf(clock, Date.now()), text === "today" ? 0 : -1);
}

/** Rejects with InvalidInput for a date after tomorrow in the zone of the store, and for a time of sale ahead of the
 * clock. undefined, without I/O, for a date that is possible in all zones. While the registry cannot be read, or has a
 * zone that this process does not know, a date that is possible in some zone is accepted. */
export function checkTimes(event: DatedEvent, sources: Newest): Promise<void> | undefined {
  const { date, soldAt } = event;
  const isUsual = isUpToTomorrowEverywhere(date) && (soldAt === undefined || isSold(soldAt));
  return isUsual ? undefined : expectTimes(event, sources);
}

type DatedEvent = Pick<PurchaseEvent, "id" | "storeId" | "date" | "soldAt">;

async function expectTimes({ storeId, date, soldAt }: DatedEvent, sources: Newest): Promise<void> {
  if (soldAt !== undefined) expectSold(soldAt);
  if (isUpToTomorrowEverywhere(date)) return;
  if (!isUpToTomorrowSomewhere(date)) throw tooLate(date);
  const clock = await registeredClock(sources, storeId).catch(() => "unknown" as const);
  if (clock === "unknown") return;
  const known = clock ?? utcClock;
  if (zoneNamed(known.zone) !== undefined) expectUpToTomorrow(known, date);
}

/** Throws InvalidInput for a date after tomorrow. The closing hour does not matter. */
export function expectUpToTomorrow({ zone }: StoreClock, date: number): void {
  if (date > dateAfter(businessDayOf({ zone, closingHour: 0 }, Date.now()), 1)) throw tooLate(date);
}

const tooLate = (date: number) =>
  new InvalidInput("date", "a date up to tomorrow in the store's time zone", String(date));
