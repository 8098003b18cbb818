import type { Change, MirroredBoards, Moves, Recount, Retention, RowRanges } from "@tally/contract";
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

// By the primary key: another plan would sort, or read the table again for each range.
const columns = "store_id, CAST(items AS CHAR), producer, sequence";
const countedRows = (table: string, condition = ""): RowRanges => ({
  select: `SELECT ${columns} FROM ${table} FORCE INDEX (PRIMARY) WHERE id > ? AND id <= ? ${condition}`,
  selectEnd: `
    SELECT id AS value FROM ${table} FORCE INDEX (PRIMARY) WHERE id > ? ${condition} ORDER BY id LIMIT 1 OFFSET ?`,
  bounds: [Buffer.alloc(16), Buffer.alloc(16, 0xff)],
});

const rowsOfBatches = (table: string, condition = ""): string =>
  `SELECT ${columns} FROM ${table} FORCE INDEX (batch) WHERE producer = ? AND sequence BETWEEN ? AND ? ${condition}`;

/** The sums of what rank() adds for each purchase. */
export const recount: Recount = {
  ids: "SELECT id FROM purchases",
  boards: [{ mirrored: sales, rows: [countedRows("purchases")], rowsOfBatches: [rowsOfBatches("purchases")] }],
};

// Leaving purchases up to this id are in the base. NULL, so no rows, when no month is being removed.
const leavingRows =
  "AND id > (SELECT counted_to FROM retention_months WHERE domain = 'purchases' AND step <> 'removed')";

const baseRows: RowRanges = {
  select: `
    SELECT store_id, CONCAT('[[', item_id, ',', quantity, ']]'), NULL, NULL FROM purchases_base
    WHERE store_id > ? AND store_id <= ?`,
  selectEnd: "SELECT store_id AS value FROM purchases_base WHERE store_id > ? ORDER BY store_id LIMIT 1 OFFSET ?",
  bounds: [-1, Number.MAX_SAFE_INTEGER],
};

const addQuantities = `
  INSERT INTO purchases_base (store_id, item_id, quantity, is_folded)
  SELECT store_id, item_id, SUM(quantity), 1 FROM purchase_items_leaving WHERE purchase_id > ? AND purchase_id <= ?
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
    rowsOfBatches: "SELECT producer, sequence, purchases FROM purchases_base_batches",
    boards: [
      {
        mirrored: sales,
        rows: [countedRows("purchases"), countedRows("purchases_leaving", leavingRows), baseRows],
        rowsOfBatches: [rowsOfBatches("purchases"), rowsOfBatches("purchases_leaving", leavingRows)],
      },
    ],
  },
};
