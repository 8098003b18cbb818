import { eventIdOfBytes, type SqlReader } from "@tally/pipeline";
import { Type, type Static } from "typebox";

const selectItems = `
  SELECT purchase_id, item_id AS ItemID, quantity AS numberOfItems FROM purchase_items
  WHERE purchase_id IN (?) ORDER BY purchase_id, line`;

/** A purchase as queries return it. */
export const StoredPurchase = Type.Object({
  eventID: Type.String(),
  storeID: Type.Integer(),
  custID: Type.Integer(),
  date: Type.String(),
  items: Type.Array(Type.Object({ ItemID: Type.Integer(), numberOfItems: Type.Integer() })),
});

/** A row without its items. */
export interface PurchaseRow {
  readonly id: Buffer;
  readonly storeID: number;
  readonly custID: number;
  /** yyyymmdd. */
  readonly date: string;
}

/** Adds the items of all rows, in the order of the rows. One statement. */
export async function withItems(
  rows: SqlReader,
  page: readonly PurchaseRow[],
): Promise<Static<typeof StoredPurchase>[]> {
  if (page.length === 0) return [];
  const sales = page.map(({ id }) => id);
  const items = await rows.query<{ purchase_id: Buffer; ItemID: number; numberOfItems: number }>(selectItems, [sales]);
  const byPurchase = Map.groupBy(items, (item) => item.purchase_id.toString("hex"));
  return page.map(({ id, storeID, custID, date }) => ({
    eventID: eventIdOfBytes(id),
    storeID,
    custID,
    date,
    items: (byPurchase.get(id.toString("hex")) ?? []).map(({ ItemID, numberOfItems }) => ({ ItemID, numberOfItems })),
  }));
}
