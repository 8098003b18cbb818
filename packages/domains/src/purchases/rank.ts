import type { Change, MirroredBoards, Moves, Recount } from "@tally/contract";
import type { PurchaseEvent } from "./event.ts";

/** How many of an item a store sold: ranks the stores of each item and the items of each store. */
export const sales: MirroredBoards = { prefix: "item:", mirrorPrefix: "store:" };

/** The board of a store: its items by how many were sold. */
export function itemsOfStore(storeId: number): string {
  return `${sales.mirrorPrefix}${storeId}`;
}

/** The board of an item: its stores by how many they sold. */
export function storesOfItem(itemId: number): string {
  return `${sales.prefix}${itemId}`;
}

/** Counts each line of a new purchase for its item and its store. */
export function rank(changes: readonly Change<PurchaseEvent>[], moves: Moves): void {
  for (const { event } of changes) {
    const store = String(event.storeId);
    for (const [itemId, quantity] of event.lines) moves.addMirrored(sales, String(itemId), store, quantity);
  }
}

const selectItemsOfStores = `
  SELECT store_id, item_id, CAST(SUM(quantity) AS UNSIGNED) FROM purchase_items
  GROUP BY store_id, item_id ORDER BY store_id`;
const selectStoresOfItems = `
  SELECT item_id, store_id, CAST(SUM(quantity) AS UNSIGNED) FROM purchase_items
  GROUP BY item_id, store_id ORDER BY item_id`;

/** The sums of what rank() adds for each purchase. */
export const recount: Recount = {
  ids: "SELECT id FROM purchases",
  rowsOfBatches: "SELECT producer, sequence, COUNT(*) FROM purchases GROUP BY producer, sequence",
  boards: [{ mirrored: sales, cells: selectStoresOfItems, mirrorCells: selectItemsOfStores }],
};
