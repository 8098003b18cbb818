import { utcDayOf } from "@tally/contract";

/* The stores of the chain, their local time, and how their sales spread over a day. Times are in ms since 1970. */

/** A time zone of the chain. Its stores open, sell most and close by its local time. */
export type Zone = (typeof zones)[number];

type Offset = Readonly<Record<"utcOffsetHours", number>>;

export type Store = ReturnType<typeof storesOf>[number];

export const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const minutesOfDay = 1440;
export const dayMs = minutesOfDay * minuteMs;

/** As the stores of source S4; the day of the chain begins in the first. More stores have the `storeNames` again. */
export const zones = [
  {
    name: "east",
    utcOffsetHours: -5,
    ianaName: "America/New_York",
    region: "East",
    storeNames: ["Broadway", "Harlem", "Back Bay", "Fishtown", "Georgetown"],
  },
  {
    name: "central",
    utcOffsetHours: -6,
    ianaName: "America/Chicago",
    region: "South",
    storeNames: ["Deep Ellum", "Midtown", "Montrose", "Uptown", "Loop"],
  },
  {
    name: "west",
    utcOffsetHours: -8,
    ianaName: "America/Los_Angeles",
    region: "West",
    storeNames: ["Mission", "Ballard", "Pearl", "Venice", "Castro"],
  },
] as const;

// The second store of a zone sells four fifths of the first, the third two thirds, and so on.
const smallerBy = 0.25;

/** The stores of all zones, numbered from 1: first those of the east. In a zone each sells less than the one before.
 * `share`: of all purchases of the chain, 0 to 1. */
export function storesOf(perZone: number) {
  const weights = Array.from({ length: perZone }, (_, index) => 1 / (1 + smallerBy * index));
  const sum = weights.reduce((total, weight) => total + weight, 0) * zones.length;
  return zones.flatMap((zone, index) =>
    weights.map((weight, place) => ({ id: index * perZone + place + 1, zone, share: weight / sum })),
  );
}

/** When a local hour of a date begins. `date`: yyyymmdd. */
export function instantOf(date: number, hour: number, { utcOffsetHours }: Offset): number {
  const [year, month, day] = [Math.floor(date / 10_000), Math.floor(date / 100) % 100, date % 100];
  return Date.UTC(year, month - 1, day, hour) - utcOffsetHours * hourMs;
}

/** Its UTC fields show the local time. */
function localDate(atMs: number, { utcOffsetHours }: Offset): Date {
  return new Date(atMs + utcOffsetHours * hourMs);
}

/** The business date of an instant in a zone: yyyymmdd. */
export const businessDate = (atMs: number, zone: Offset): number => utcDayOf(localDate(atMs, zone).getTime());

/** The newest date that all zones have: a day that begins on it ends tomorrow at the latest, in each of them. */
export const newestDate = (): number => Math.min(...zones.map((zone) => businessDate(Date.now(), zone)));

/** Minutes since local midnight, 0 to 1439. */
export function localMinute(atMs: number, zone: Zone): number {
  const date = localDate(atMs, zone);
  return date.getUTCHours() * 60 + date.getUTCMinutes();
}

/** The clock of a zone, as "Fri 20 Nov 18:42". */
export function clockOf(atMs: number, zone: Zone): string {
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

// Relative to the evening peak.
const night = 0.05;
const open = 0.3;
const openFrom = 7;
const openUntil = 22;
const peaks = [
  { hour: 10, height: 0.6, widthHours: 1.1 },
  { hour: 18, height: 1, widthHours: 1.5 },
];

/** How much a store sells at a minute of its local day, relative to other minutes. */
function demandAt(minute: number): number {
  const hour = minute / 60;
  const base = hour >= openFrom && hour < openUntil ? open : night;
  return peaks.reduce(
    (sum, peak) => sum + peak.height * Math.exp(-(((hour - peak.hour) / peak.widthHours) ** 2) / 2),
    base,
  );
}

/** The share of its purchases that a store has sold after each minute of 24 hours: 1,441 numbers from 0 to 1. */
export function soldShares(zone: Zone, startsAtMs: number): Float64Array {
  const shares = new Float64Array(minutesOfDay + 1);
  for (let minute = 0; minute < minutesOfDay; minute++)
    shares[minute + 1] = (shares[minute] ?? 0) + demandAt(localMinute(startsAtMs + minute * minuteMs, zone));
  const sum = shares[minutesOfDay] ?? 1;
  return shares.map((share) => share / sum);
}
