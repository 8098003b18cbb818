import type { EventFiles } from "@tally/contract";
import { numberFilter, ids } from "../values.ts";
import { parseCalendarDate } from "./calendar-date.ts";
import { moneyText } from "./money.ts";
import { correctionTable, type CountedCorrection } from "./store.ts";

/** A correction with the store of its sale; null when the sale's month was removed. */
type FileRow = CountedCorrection & { readonly saleStore: number | null };

// The key of an exported purchase is its event id, so its import makes another id: an exported correction names it by
// store and key.
const fields = {
  sale: ({ saleId, saleStore }: FileRow) =>
    saleStore === null ? undefined : { storeID: saleStore, idempotencyKey: saleId },
  eventID: ({ saleId, saleStore }: FileRow) => (saleStore === null ? saleId : undefined),
};

const filesOf = (kind: "void" | "refund", own: EventFiles<FileRow>["fields"]): EventFiles<FileRow> => ({
  rows: {
    table: correctionTable.table,
    columns: correctionTable.columns,
    selectFrom: (table) => `
      SELECT ${correctionTable.selectList()}, saleStore FROM (
        SELECT ${table}.*, (SELECT MIN(store_id) FROM purchases WHERE purchases.id = ${table}.sale_id) AS saleStore
        FROM ${table} WHERE kind = '${kind}'
      ) AS corrections`,
    eventOf: (columns) => ({ ...correctionTable.eventOf(columns), saleStore: storeOf(columns.at(-1)) }),
  },
  fields: { ...fields, ...own },
  order: "id",
  filters: {
    store: numberFilter("store_id = ?", "--store", ids),
    date: { where: "counted_on = ?", parse: (text) => parseCalendarDate("--date", text) },
  },
});

const storeOf = (column: unknown): number | null => (typeof column === "number" ? column : null);

export const voidFiles = filesOf("void", { reason: ({ reason }) => reason });

export const refundFiles = filesOf("refund", {
  storeID: ({ storeId }) => storeId,
  date: ({ date }) => String(date),
  items: refundedItems,
});

/** With the amount that it counts: a share of the price would depend on the order of the refunds. */
function refundedItems({ takenBack = [], lines }: FileRow) {
  return takenBack.map(([line, ItemID, numberOfItems], index) => {
    const amount = lines[index]?.[2];
    return { line, ItemID, numberOfItems, ...(amount !== undefined && { amount: moneyText(-amount) }) };
  });
}
