import type { Zone } from "./chain.ts";

/* Times are in ms since 1970; a local time is the same as a date in UTC that shows it. */

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

function localDate(atMs: number, { utcOffsetHours }: Pick<Zone, "utcOffsetHours">): Date {
  return new Date(atMs + utcOffsetHours * hourMs);
}

/** When a local hour of a date begins. `date`: yyyymmdd. */
export function instantOf(date: number, hour: number, { utcOffsetHours }: Pick<Zone, "utcOffsetHours">): number {
  const [year, month, day] = [Math.floor(date / 10_000), Math.floor(date / 100) % 100, date % 100];
  return Date.UTC(year, month - 1, day, hour) - utcOffsetHours * hourMs;
}

/** The business date of an instant in a zone: yyyymmdd. */
export function businessDate(atMs: number, zone: Pick<Zone, "utcOffsetHours">): number {
  const date = localDate(atMs, zone);
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}

/** Minutes since local midnight, 0 to 1439. */
export function localMinute(atMs: number, zone: Pick<Zone, "utcOffsetHours">): number {
  const date = localDate(atMs, zone);
  return date.getUTCHours() * 60 + date.getUTCMinutes();
}

/** The clock of a zone, as "Fri 20 Nov 18:42". */
export function clockOf(atMs: number, zone: Pick<Zone, "utcOffsetHours">): string {
  return clock.format(localDate(atMs, zone)).replaceAll(",", "");
}

const clock = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
