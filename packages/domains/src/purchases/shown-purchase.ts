import { eventIdOfBytes } from "@tally/contract";
import { Type, type Static } from "typebox";
import { linesOf } from "./store.ts";

// A list of purchases ends when they have this many lines together: 1000 purchases of 500 lines would block the gateway's thread for seconds.
export const linesMax = 10_000;

/** A purchase as queries return it. */
export const ShownPurchase = Type.Object({
  eventID: Type.String(),
  storeID: Type.Integer(),
  custID: Type.Integer(),
  date: Type.String(),
  items: Type.Array(Type.Object({ ItemID: Type.Integer(), numberOfItems: Type.Integer() })),
});
type ShownPurchase = Static<typeof ShownPurchase>;

/** For the API reference. */
export const exampleOfShown: ShownPurchase = {
  eventID: "55dd47d6-d9ef-8152-b012-19d6cdd9449d",
  storeID: 7,
  custID: 7001,
  date: "20261121",
  items: [{ ItemID: 85571, numberOfItems: 2 }],
};

/** A row of `purchases` without its lines. */
export interface PurchaseHead {
  readonly id: Buffer;
  readonly storeID: number;
  readonly custID: number;
  readonly date: string;
}

/** `items`: the column. */
export function shownPurchase({ id, storeID, custID, date }: PurchaseHead, items: unknown): ShownPurchase {
  return {
    eventID: eventIdOfBytes(id),
    storeID,
    custID,
    date,
    items: linesOf(items).map(([ItemID, numberOfItems]) => ({ ItemID, numberOfItems })),
  };
}

/** The first rows, until they have 10,000 lines together. At least one: a purchase has 500 at most. */
export function upToLinesMax<Row extends { readonly lineCount: number }>(rows: readonly Row[]): readonly Row[] {
  let lines = 0;
  const end = rows.findIndex(({ lineCount }) => (lines += lineCount) > linesMax);
  return end < 0 ? rows : rows.slice(0, end);
}
