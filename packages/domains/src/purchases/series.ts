import { boardsOfSeries, isKept, joinBoards } from "@tally/contract";
import type { KeptSeries, MirroredBoards, Series } from "@tally/contract";

/** What is counted of a sale. quantity: sold less taken back. grossSales: the price of all units before discounts; a
 * refund does not change it, a void takes it back. netSales: gross less discounts and what was paid back, on the day of
 * the return. Amounts are × 10,000, in the currency of the system. */
export const measures = ["quantity", "grossSales", "netSales"] as const;
export type Measure = (typeof measures)[number];

/** Names the counts of a measure, of all time or of a business day (yyyymmdd): "", "20261126", "netSales",
 * "20261126/netSales". */
export function seriesOf(measure: Measure, day?: number): string {
  if (measure === "quantity") return day === undefined ? "" : String(day);
  return day === undefined ? measure : `${day}/${measure}`;
}

/** Rows of batches that are not folded. */
export const inLedger = "JOIN batches USING (producer, sequence) WHERE domain = 'purchases'";

/** How much of an item a store sold: ranks the stores of each item and the items of each store. */
export const sales: MirroredBoards = { prefix: "item:", mirrorPrefix: "store:" };

/** The board of a store: its items, those that sold most first. */
export const itemsOfStore = (storeId: number, series = ""): string =>
  `${boardsOfSeries(sales, series).mirrorPrefix}${storeId}`;

/** The board of an item: its stores, those that sold most first. */
export const storesOfItem = (itemId: number, series = ""): string => `${boardsOfSeries(sales, series).prefix}${itemId}`;

/** A line of a sale, [item, quantity] or [item, quantity, price of a unit, discount on all]; or what a correction takes
 * back, [item, -quantity], of a refund [item, -quantity, -net], of a void [item, -quantity, -net, -gross]. */
export type CountedLine = readonly number[];

/** What a line adds to a measure; 0 for an amount that is not known. */
export function amountOf(measure: Measure, [, quantity = 0, amount = 0, other = 0]: CountedLine): number {
  if (measure === "quantity") return quantity;
  if (quantity < 0) return measure === "netSales" ? amount : other;
  return measure === "netSales" ? amount * quantity - other : amount * quantity;
}

interface SalesSeries extends Series {
  readonly boards: MirroredBoards;
}

const ofAllTime = measures.map((measure) => seriesFor(measure));
// A process meets a few days, or all of its history once. Clients may send a sale of any day since the year 1000.
const daysMax = 2000;
const ofDays = new Map<number, readonly SalesSeries[]>();

/** All series that a row adds to. */
export function salesSeriesOf(day: number): readonly SalesSeries[] {
  if (ofDays.size > daysMax) ofDays.clear();
  return ofDays.getOrInsertComputed(day, seriesWith);
}

const seriesWith = (day: number): readonly SalesSeries[] => [
  ...ofAllTime,
  ...measures.map((one) => seriesFor(one, day)),
];

type JoinedSeries = Pick<SalesSeries, "boards" | "by">;
const joinedOf = new WeakMap<KeptSeries, Map<number, readonly JoinedSeries[]>>();
const anyOtherDay = 0;

/** Those that Redis keeps, with the boards of a measure joined. The same objects for the same arguments. */
export function keptSeriesOf(day: number, kept: KeptSeries): readonly JoinedSeries[] {
  const byDay = joinedOf.getOrInsertComputed(kept, () => new Map());
  return byDay.getOrInsertComputed(isKept(seriesOf("quantity", day), kept) ? day : anyOtherDay, () =>
    measures.flatMap((measure) => {
      const own = [seriesFor(measure), seriesFor(measure, day)].filter(({ name }) => isKept(name, kept));
      const [first] = own;
      return first === undefined ? [] : [{ boards: joinBoards(own.map(({ boards }) => boards)), by: first.by }];
    }),
  );
}

function seriesFor(measure: Measure, day?: number): SalesSeries {
  const name = seriesOf(measure, day);
  return { name, boards: boardsOfSeries(sales, name), by: (line) => amountOf(measure, line) };
}
