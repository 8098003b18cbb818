import { naturals, rangesOf, rangesOfIds } from "@tally/contract";
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

const columnsOf = (table: string): string =>
  `store_id, CAST(items AS CHAR), producer, sequence, CAST(DATE_FORMAT(${dayOf(table)}, '%Y%m%d') AS UNSIGNED)`;
const dayOf = (table: string): string => (table === corrections ? "counted_on" : "purchased_on");
const countedRows = (table: string, condition?: string): RowRanges => rangesOfIds(columnsOf(table), table, condition);

const rowsOfBatches = (table: string, condition = "TRUE"): string =>
  `SELECT ${columnsOf(table)} FROM ${table} FORCE INDEX (batch) WHERE producer = ? AND sequence BETWEEN ? AND ? AND ${condition}`;

const ids = ["purchases", corrections].map((table) => rangesOfIds("id", table));

const board = {
  mirrored: sales,
  seriesOf: salesSeriesOf,
  rows: [countedRows("purchases"), countedRows(corrections)],
  rowsOfBatches: [rowsOfBatches("purchases"), rowsOfBatches(corrections)],
};

/** The sums of what rank() adds for each purchase and each correction. */
export const recount: Recount = { ids, boards: [board] };

// Leaving purchases up to this id are in the base. NULL, so no rows, when no month is being removed.
const leavingRows = "id > (SELECT counted_to FROM retention_months WHERE domain = 'purchases' AND step <> 'removed')";

const columnsOfBase = "store_id, CONCAT('[[', item_id, ',', quantity, ']]'), NULL, NULL, NULL";
const baseRows = rangesOf(columnsOfBase, "purchases_base", "store_id", naturals);

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
    ids: [...ids, rangesOfIds("id", "purchases_leaving")],
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
