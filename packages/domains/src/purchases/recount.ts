import type { Recount } from "@tally/contract";
import { sales } from "./rank.ts";

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
