import type { Recount } from "@tally/pipeline";
import { itemsOfStore, storesOfItem } from "./rank.ts";

const selectIds = "SELECT id FROM purchases";
const selectRowsOfBatches = "SELECT producer, sequence, COUNT(*) FROM purchases GROUP BY producer, sequence";
const selectItemsOfStores = `
  SELECT store_id, item_id, CAST(SUM(quantity) AS UNSIGNED) FROM purchase_items
  GROUP BY store_id, item_id ORDER BY store_id`;
const selectStoresOfItems = `
  SELECT item_id, store_id, CAST(SUM(quantity) AS UNSIGNED) FROM purchase_items
  GROUP BY item_id, store_id ORDER BY item_id`;

/** What all purchases add up to: the same that rank() says of each. */
export const recount: Recount = {
  ids: selectIds,
  rowsOfBatches: selectRowsOfBatches,
  boards: [
    { cells: selectItemsOfStores, board: itemsOfStore },
    { cells: selectStoresOfItems, board: storesOfItem, mirrored: true },
  ],
};
