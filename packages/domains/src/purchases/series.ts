import type { MirroredBoards } from "@tally/contract";

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

/** How much of an item a store sold: ranks the stores of each item and the items of each store. */
export function salesOf(series: string): MirroredBoards {
  const prefix = series === "" ? "" : `${series}/`;
  return { prefix: `${prefix}item:`, mirrorPrefix: `${prefix}store:` };
}

/** The board of a store: its items, those that sold most first. */
export const itemsOfStore = (storeId: number, series = ""): string => `${salesOf(series).mirrorPrefix}${storeId}`;

/** The board of an item: its stores, those that sold most first. */
export const storesOfItem = (itemId: number, series = ""): string => `${salesOf(series).prefix}${itemId}`;

/** A line of a sale, [item, quantity] or [item, quantity, price of a unit, discount on all]; or what a correction takes
 * back, [item, -quantity], of a refund [item, -quantity, -net], of a void [item, -quantity, -net, -gross]. */
export type CountedLine = readonly [itemId: number, quantity: number, amount?: number, other?: number];

/** What a line adds to a measure; 0 for an amount that is not known. */
export function amountOf(measure: Measure, [, quantity, amount = 0, other = 0]: CountedLine): number {
  if (measure === "quantity") return quantity;
  if (quantity < 0) return measure === "netSales" ? amount : other;
  return measure === "netSales" ? amount * quantity - other : amount * quantity;
}
