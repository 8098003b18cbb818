import { fieldsOfEvent } from "@tally/contract";
import { Type, type Static, type TSchema } from "typebox";
import type { PurchaseEvent } from "./event.ts";
import { fields } from "./routes.ts";
import { store } from "./store.ts";

/**
 * A list of purchases ends when they have this many items together: 1000 purchases of 500 items would block the
 * gateway's thread for seconds.
 */
export const listedItemsMax = 10_000;

/** A purchase as queries return it. */
export const ShownPurchase = Type.Object({
  eventID: Type.String(),
  storeID: Type.Integer(),
  custID: Type.Integer(),
  date: Type.String(),
  items: Type.Array(Type.Object({ ItemID: Type.Integer(), numberOfItems: Type.Integer() })),
} satisfies Record<"eventID" | keyof typeof fields, TSchema>);
type ShownPurchase = Static<typeof ShownPurchase>;

/** For the API reference. */
export const exampleOfShown: ShownPurchase = {
  eventID: "55dd47d6-d9ef-8152-b012-19d6cdd9449d",
  storeID: 7,
  custID: 7001,
  date: "20261121",
  items: [{ ItemID: 85571, numberOfItems: 2 }],
};

export function shownPurchase(event: PurchaseEvent): ShownPurchase {
  return { eventID: event.id, ...fieldsOfEvent(fields, event) };
}

/** A row with the fields of a purchase, its items as text. */
export interface CountedRow {
  readonly itemCount: number;
}

/** The purchases of the first rows, until they have 10,000 items together. At least one: a purchase has 500 at most. */
export function upToItemsMax<Row extends CountedRow>(
  rows: readonly Row[],
): readonly { readonly row: Row; readonly event: PurchaseEvent }[] {
  let items = 0;
  const end = rows.findIndex(({ itemCount }) => (items += itemCount) > listedItemsMax);
  return (end < 0 ? rows : rows.slice(0, end)).map((row) => ({ row, event: store.eventOfRow(row) }));
}
