import { rangesOfIds } from "@tally/contract";
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

const [corrections, leaving] = ["purchase_corrections", "purchases_leaving"];

const columnsOf = (table: string): string =>
  `store_id, CAST(items AS CHAR), producer, sequence, CAST(DATE_FORMAT(${dayOf(table)}, '%Y%m%d') AS UNSIGNED)`;
const dayOf = (table: string): string => (table === corrections ? "counted_on" : "purchased_on");
const countedRows = (table: string, condition?: string): RowRanges => rangesOfIds(columnsOf(table), table, condition);

const rowsOfBatches = (table: string, condition = "TRUE"): string =>
  `SELECT ${columnsOf(table)} FROM ${table} FORCE INDEX (batch) WHERE producer = ? AND sequence BETWEEN ? AND ? AND ${condition}`;

// NULL, so no rows, when no month is being removed. An earlier release has counted those up to counted_to elsewhere.
const leavingRows = (step: string): string =>
  `id > (SELECT counted_to FROM retention_months WHERE domain = 'purchases' AND step ${step})`;

/** The sums of what rank() adds for each purchase and each correction. */
export const recount: Recount = {
  ids: ["purchases", corrections, leaving].map((table) => rangesOfIds("id", table)),
  rowsOfBatches: "SELECT producer, sequence, purchases FROM purchases_base_batches",
  boards: [
    {
      mirrored: sales,
      seriesOf: salesSeriesOf,
      rows: [
        countedRows("purchases"),
        countedRows(corrections),
        countedRows(leaving, leavingRows("IN ('moving', 'exporting', 'counting')")),
      ],
      rowsOfBatches: [
        rowsOfBatches("purchases"),
        rowsOfBatches(corrections),
        rowsOfBatches(leaving, leavingRows("<> 'removed'")),
      ],
    },
  ],
};

/** Purchases leave by their business day, their corrections stay. */
export const retention: Retention<SalesEvent> = {
  table: "purchases",
  dateColumn: "purchased_on",
  dateOf: (event) => (isCorrection(event) ? Infinity : event.date),
  leaving,
};
