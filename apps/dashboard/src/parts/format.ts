const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 });
const hundredths = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 3 });
const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const dayAndTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** As "12,345"; below 100 with a decimal where there is one. "–" for an unknown number. */
export function numberText(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Math.abs(value) < 1) return hundredths.format(value);
  return (Math.abs(value) < 100 ? tenths : whole).format(value);
}

const amount = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** A count of a board: a number, or an amount as decimal text, "1234.5000" as "1,234.50". */
export const countText = (count: number | string): string =>
  typeof count === "number" ? numberText(count) : amount.format(Number(count));

/** Chosen days at the end of a sentence about sales: "today", "on 2026-11-20", "from … to …", "yet" for all. */
export function daysText(days: string): string {
  if (days.includes("..")) return `from ${days.replace("..", " to ")}`;
  return days === "all" ? "yet" : /^\d/.test(days) ? `on ${days}` : days;
}

/** "netSales" as "net sales". */
export const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

// The status counts up to here.
const countedMax = 10_000;

/** The number of dead letters, as "12" or "10,000+". */
export function atLeastText(count: number): string {
  return count < countedMax ? numberText(count) : `${numberText(countedMax)}+`;
}

/** In the browser's time zone, with the day when it is not today. */
export function timeText(ms: number): string {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return (isToday ? time : dayAndTime).format(ms);
}

/** As "3 s", "5 min", "2 h", "4 days". Negative spans count as 0. */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** A few ms as "0.8 ms", more as "1.2 s". */
export function shortSpanText(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "–";
  return ms < 1000 ? `${numberText(ms)} ms` : `${numberText(ms / 1000)} s`;
}

/** Today in the browser's time zone, as "2026-11-20". */
export function today(): string {
  const date = new Date();
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}

/** "20261120", the form of the routes, as "20 Nov 2026". */
export const dateText = (date: string): string =>
  day.format(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6))));

/** The same as "2026-11-20". */
export const dashedDate = (date: string): string => date.replace(/^(....)(..)(..)$/, "$1-$2-$3");

/** "2026-11-20" as "20261120", the form of the routes. */
export const compactDate = (date: string): string => date.replaceAll("-", "");

/** How long the waiting events take, as "12 s to drain". */
export function drainText(secondsToDrain: number | null): string {
  if (secondsToDrain === null) return "time to drain unknown";
  if (secondsToDrain === 0) return "nothing waits";
  // Half a second is one look at the queues: events pass through them all the time.
  return secondsToDrain < 0.5 ? "less than 1 s to drain" : `${spanText(secondsToDrain * 1000)} to drain`;
}
