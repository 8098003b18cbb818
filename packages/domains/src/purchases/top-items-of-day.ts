import type { SqlReader } from "@tally/pipeline";

// Reads the index store_day.
const selectTopItems = `
  SELECT item_id AS itemID, CAST(SUM(quantity) AS UNSIGNED) AS quantity
  FROM purchase_items
  WHERE store_id = ? AND purchased_on = ?
  GROUP BY item_id
  ORDER BY quantity DESC, itemID
  LIMIT ?`;

/** The best-selling items of a store on one day, counted from the rows; equal quantities by the smaller item id. */
export async function topItemsOfDay(rows: SqlReader, storeId: number, date: number, limit: number) {
  return [...(await rows.query<{ itemID: number; quantity: number }>(selectTopItems, [storeId, date, limit]))];
}
