import type { Change, MirroredBoards, Moves, Recount, Retention } from "@tally/contract";
import type { PurchaseEvent } from "./event.ts";

/** How many of an item a store sold: ranks the stores of each item and the items of each store. */
const sales: MirroredBoards = { prefix: "item:", mirrorPrefix: "store:" };

/** The board of a store: its items by how many were sold. */
export const itemsOfStore = (storeId: number): string => `${sales.mirrorPrefix}${storeId}`;

/** The board of an item: its stores by how many they sold. */
export const storesOfItem = (itemId: number): string => `${sales.prefix}${itemId}`;

export function rank(changes: readonly Change<PurchaseEvent>[], moves: Moves): void {
  for (const { event } of changes) {
    const store = String(event.storeId);
    for (const [itemId, quantity] of event.lines) moves.addMirrored(sales, String(itemId), store, quantity);
  }
}

const selectQuantities = (key: string, member: string, sold: string) => `
  SELECT ${key}, ${member}, CAST(SUM(quantity) AS UNSIGNED) FROM ${sold}
  GROUP BY ${key}, ${member} ORDER BY ${key}`;

const boardsOf = (sold: string): Recount["boards"] => [
  {
    mirrored: sales,
    cells: selectQuantities("item_id", "store_id", sold),
    mirrorCells: selectQuantities("store_id", "item_id", sold),
  },
];

/** The sums of what rank() adds for each purchase. */
export const recount: Recount = {
  ids: "SELECT id FROM purchases",
  rowsOfBatches: "SELECT producer, sequence, COUNT(*) FROM purchases GROUP BY producer, sequence",
  boards: boardsOf("purchase_items"),
};

// Leaving purchases up to this id are in the base. NULL, so no rows, when no month is being removed.
const countedTo = "(SELECT counted_to FROM retention_months WHERE domain = 'purchases' AND step <> 'removed')";

const itemsAndBase = `(
  SELECT store_id, item_id, quantity FROM purchase_items
  UNION ALL SELECT store_id, item_id, quantity FROM purchase_items_leaving WHERE purchase_id > ${countedTo}
  UNION ALL SELECT store_id, item_id, quantity FROM purchases_base) AS sold`;

const selectRowsOfBatches = `
  SELECT producer, sequence, CAST(SUM(purchases) AS UNSIGNED)
  FROM (
    SELECT producer, sequence, COUNT(*) AS purchases FROM purchases GROUP BY producer, sequence
    UNION ALL SELECT producer, sequence, COUNT(*) FROM purchases_leaving WHERE id > ${countedTo}
      GROUP BY producer, sequence
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
    boards: boardsOf(itemsAndBase),
  },
};
