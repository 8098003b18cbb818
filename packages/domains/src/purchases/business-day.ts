/** `zone`: an IANA name. `closingHour`: after midnight; until then the business day goes on. */
export interface StoreClock {
  readonly zone: string;
  readonly closingHour: number;
}

/** The clock of a store that is not registered. */
export const utcClock: StoreClock = { zone: "UTC", closingHour: 0 };

/** "america/new_york" → "America/New_York"; undefined for a zone that this process does not know. */
export function zoneNamed(text: string): string | undefined {
  try {
    const { timeZoneId } = Temporal.Now.zonedDateTimeISO(text);
    // The zone of a time such as "T12+0530" is an offset.
    return /^[A-Z]/i.test(timeZoneId) ? timeZoneId : undefined;
  } catch {
    return undefined;
  }
}

// A store may have the zone of a process whose data are newer. To ask for a zone takes 3 us.
const zones = new Map<string, string>();
const known = (zone: string) => zones.getOrInsertComputed(zone, () => zoneNamed(zone) ?? utcClock.zone);

/** The business day of a store at a time, as yyyymmdd: before the closing hour it is still the day before. */
export function businessDayOf(clock: StoreClock, atMs: number): number {
  const date = timeAt(clock, atMs).toPlainDate();
  return numberOf(atMs < startOf(date, clock).epochMilliseconds ? date.subtract({ days: 1 }) : date);
}

export const timeAt = ({ zone }: StoreClock, atMs: number): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(known(zone));

/** "18" and "-05:00". */
export const hourOfDay = ({ hour, offset }: Temporal.ZonedDateTime) => ({
  hour: String(hour).padStart(2, "0"),
  offset,
});

/** The same time of day a week before: 167 to 169 hours when the clock was changed. */
export const weekBefore = (clock: StoreClock, atMs: number): number =>
  timeAt(clock, atMs).subtract({ weeks: 1 }).epochMilliseconds;

/** The date some days after a date, both as yyyymmdd. */
export function dateAfter(date: number, days: number): number {
  return numberOf(plainDateOf(date).add({ days }));
}

/** The local hours of a business day, by when each begins: 23 to 25, at least one. An hour that a change of the clock
 * cuts is shorter; an hour that comes twice is two. */
export function hoursOf(clock: StoreClock, date: number): readonly Temporal.ZonedDateTime[] {
  const endMs = endOf(clock, date);
  const hours: Temporal.ZonedDateTime[] = [];
  let hour = startOf(plainDateOf(date), clock);
  do {
    hours.push(hour);
    // Exact time: it passes a change of the clock, after which the next hour begins at the full hour again.
    hour = hour.add({ seconds: 3600 - hour.minute * 60 - hour.second });
  } while (hour.epochMilliseconds < endMs);
  return hours;
}

/** When a business day ends. */
export const endOf = (clock: StoreClock, date: number): number =>
  startOf(plainDateOf(date).add({ days: 1 }), clock).epochMilliseconds;

// A time that does not exist on that day is the one after the change of the clock.
const startOf = (date: Temporal.PlainDate, { zone, closingHour }: StoreClock): Temporal.ZonedDateTime =>
  date.toZonedDateTime({ timeZone: known(zone), plainTime: { hour: closingHour } });

const plainDateOf = (date: number): Temporal.PlainDate => Temporal.PlainDate.from(String(date));
const numberOf = ({ year, month, day }: Temporal.PlainDate): number => year * 10_000 + month * 100 + day;
