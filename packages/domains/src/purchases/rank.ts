import type { KeptSeries, Moves, Recount, Retention, RowRanges } from "@tally/contract";
import { isCorrection, type SalesEvent } from "./event.ts";
import { keptSeriesOf, sales, salesSeriesOf } from "./series.ts";
import type { SalesChange } from "./store.ts";

export function rank(changes: readonly SalesChange[], moves: Moves, kept: KeptSeries): void {
  for (const change of changes) {
    const { storeId, date, lines } = "counted" in change ? change.counted : change.event;
    const store = String(storeId);
    for (const { boards, by } of keptSeriesOf(date, kept)) {
      for (const line of lines) {
        const amount = by(line);
        if (amount !== 0) moves.addMirrored(boards, String(line[0]), store, amount);
      }
    }
  }
}

const corrections = "purchase_corrections";

// By the primary key: another plan would sort, or read the table again for each range.
const columnsOf = (table: string): string =>
  `store_id, CAST(items AS CHAR), producer, sequence, CAST(DATE_FORMAT(${dayOf(table)}, '%Y%m%d') AS UNSIGNED)`;
const dayOf = (table: string): string => (table === corrections ? "counted_on" : "purchased_on");
const countedRows = (table: string, condition = ""): RowRanges => ({
  select: `SELECT ${columnsOf(table)} FROM ${table} FORCE INDEX (PRIMARY) WHERE id > ? AND id <= ? ${condition}`,
  selectEnd: `
    SELECT id AS value FROM ${table} FORCE INDEX (PRIMARY) WHERE id > ? ${condition} ORDER BY id LIMIT 1 OFFSET ?`,
  bounds: [Buffer.alloc(16), Buffer.alloc(16, 0xff)],
});

const rowsOfBatches = (table: string, condition = ""): string =>
  `SELECT ${columnsOf(table)} FROM ${table} FORCE INDEX (batch) WHERE producer = ? AND sequence BETWEEN ? AND ? ${condition}`;

const selectIds = `SELECT id FROM purchases UNION ALL SELECT id FROM ${corrections}`;

const board = {
  mirrored: sales,
  seriesOf: salesSeriesOf,
  rows: [countedRows("purchases"), countedRows(corrections)],
  rowsOfBatches: [rowsOfBatches("purchases"), rowsOfBatches(corrections)],
};

/** The sums of what rank() adds for each purchase and each correction. */
export const recount: Recount = { ids: selectIds, boards: [board] };

// Leaving purchases up to this id are in the base. NULL, so no rows, when no month is being removed.
const leavingRows =
  "AND id > (SELECT counted_to FROM retention_months WHERE domain = 'purchases' AND step <> 'removed')";

const baseRows: RowRanges = {
  select: `
    SELECT store_id, CONCAT('[[', item_id, ',', quantity, ']]'), NULL, NULL, NULL FROM purchases_base
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

/** Purchases leave by their business day, their corrections stay. The base keeps how many of each item each store sold.
 */
export const retention: Retention<SalesEvent> = {
  table: "purchases",
  dateColumn: "purchased_on",
  dateOf: (event) => (isCorrection(event) ? Infinity : event.date),
  leaving: "purchases_leaving",
  addToBase: [addQuantities, addBatches],
  recount: {
    ids: `${selectIds} UNION ALL SELECT id FROM purchases_leaving`,
    rowsOfBatches: "SELECT producer, sequence, purchases FROM purchases_base_batches",
    boards: [
      {
        ...board,
        rows: [...board.rows, countedRows("purchases_leaving", leavingRows), baseRows],
        rowsOfBatches: [...board.rowsOfBatches, rowsOfBatches("purchases_leaving", leavingRows)],
      },
    ],
  },
};
