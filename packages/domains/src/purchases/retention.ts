import type { Retention } from "@tally/contract";
import type { PurchaseEvent } from "./event.ts";
import { sales } from "./rank.ts";

// Leaving purchases up to this id are in the base. NULL, so no rows, when no month is being removed.
const countedTo = "(SELECT counted_to FROM retention_months WHERE domain = 'purchases' AND step <> 'removed')";

const itemsAndBase = `
  SELECT store_id, item_id, quantity FROM purchase_items
  UNION ALL SELECT store_id, item_id, quantity FROM purchase_items_leaving WHERE purchase_id > ${countedTo}
  UNION ALL SELECT store_id, item_id, quantity FROM purchases_base`;
const selectItemsOfStores = `
  SELECT store_id, item_id, CAST(SUM(quantity) AS UNSIGNED) FROM (${itemsAndBase}) AS sold
  GROUP BY store_id, item_id ORDER BY store_id`;
const selectStoresOfItems = `
  SELECT item_id, store_id, CAST(SUM(quantity) AS UNSIGNED) FROM (${itemsAndBase}) AS sold
  GROUP BY item_id, store_id ORDER BY item_id`;

const selectRowsOfBatches = `
  SELECT producer, sequence, CAST(SUM(purchases) AS UNSIGNED)
  FROM (
    SELECT producer, sequence, COUNT(*) AS purchases FROM purchases GROUP BY producer, sequence
    UNION ALL SELECT producer, sequence, COUNT(*) FROM purchases_leaving WHERE id > ${countedTo} GROUP BY producer, sequence
    UNION ALL SELECT producer, sequence, purchases FROM purchases_base_batches
  ) AS counted
  GROUP BY producer, sequence`;

const addQuantities = `
  INSERT INTO purchases_base (store_id, item_id, quantity)
  SELECT store_id, item_id, SUM(quantity) FROM purchase_items_leaving WHERE purchase_id > ? AND purchase_id <= ?
  GROUP BY store_id, item_id
  ON DUPLICATE KEY UPDATE purchases_base.quantity = purchases_base.quantity + VALUES(quantity)`;
const addBatches = `
  INSERT INTO purchases_base_batches (producer, sequence, purchases)
  SELECT producer, sequence, COUNT(*) FROM purchases_leaving WHERE id > ? AND id <= ?
  GROUP BY producer, sequence
  ON DUPLICATE KEY UPDATE purchases_base_batches.purchases = purchases_base_batches.purchases + VALUES(purchases)`;

/** Purchases leave by their business day. The base keeps how many of each item each store sold. */
export const retention: Retention<PurchaseEvent> = {
  table: "purchases",
  dateColumn: "purchased_on",
  dateOf: ({ date }) => date,
  leaving: "purchases_leaving",
  addToBase: [addQuantities, addBatches],
  recount: {
    ids: "SELECT id FROM purchases UNION ALL SELECT id FROM purchases_leaving",
    rowsOfBatches: selectRowsOfBatches,
    boards: [{ mirrored: sales, cells: selectStoresOfItems, mirrorCells: selectItemsOfStores }],
  },
};
