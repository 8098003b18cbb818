import { sumOfCounts } from "@tally/contract";
import { hoursOf, type StoreClock } from "./business-day.ts";
import { amountOf, measures, type CountedLine, type Measure } from "./series.ts";

/** Amounts × 10,000. receipts: sales that are not void. returns: what refunds paid back. */
export type Totals = Record<Measure | "receipts" | "returns", number>;

/** `from`: when the hour begins; null: it is not known of these sales. */
type HourOfSales = Totals & { readonly from: Temporal.ZonedDateTime | null };

const names = [...measures, "receipts", "returns"] as const;
const noSales: Totals = { quantity: 0, grossSales: 0, netSales: 0, receipts: 0, returns: 0 };

/** The totals of each local hour of a business day. A time outside of the day counts in the hour next to it, so the
 * hours add up to the day whatever a till says. */
export class HoursOfSales {
  readonly #hours: readonly HourOfSales[];
  readonly #starts: readonly number[];
  readonly #unknown: HourOfSales = { ...noSales, from: null };

  constructor(clock: StoreClock, date: number) {
    const starts = hoursOf(clock, date);
    this.#hours = starts.map((from) => ({ ...noSales, from }));
    this.#starts = starts.map(({ epochMilliseconds }) => epochMilliseconds);
  }

  /** Lines of a sale that is not void, or of a refund. */
  add(atMs: number | null, lines: readonly CountedLine[], receipts: number): void {
    const last = this.#starts.findLastIndex((startMs) => startMs <= (atMs ?? 0));
    const totals = (atMs === null ? undefined : this.#hours[Math.max(0, last)]) ?? this.#unknown;
    totals.receipts += receipts;
    for (const line of lines) {
      for (const measure of measures) totals[measure] = sumOfCounts(totals[measure], amountOf(measure, line));
      if (amountOf("quantity", line) < 0) totals.returns = sumOfCounts(totals.returns, -amountOf("netSales", line));
    }
  }

  /** All hours of the day, in their order; last, if there are any, the sales whose hour is not known. */
  get hours(): readonly HourOfSales[] {
    return names.every((name) => this.#unknown[name] === 0) ? this.#hours : [...this.#hours, this.#unknown];
  }

  /** The totals of the day. */
  get day(): Totals {
    const day = { ...noSales };
    for (const hour of this.hours) for (const name of names) day[name] = sumOfCounts(day[name], hour[name]);
    return day;
  }
}
