import { InvalidInput, type CellForm, type EventFiles } from "@tally/contract";
import { ids } from "../request-values.ts";
import { numberFilter } from "../row-filter.ts";
import { parseCalendarDate } from "./calendar-date.ts";
import { linesOf } from "./store.ts";

interface SoldItem {
  readonly ItemID: number | string;
  readonly numberOfItems: number;
}

/** Items in a cell, as "85571:3 12:1"; or in two columns, where each line of the file sells one item. */
const items: CellForm = {
  read: (cell): readonly SoldItem[] =>
    cell
      .trim()
      .split(/\s+/)
      .map((pair) => {
        const [, ItemID, quantity] = /^(\d+):(\d+)$/.exec(pair) ?? [];
        if (ItemID === undefined) throw new InvalidInput("items", "items and quantities such as 85571:3 12:1", cell);
        return { ItemID, numberOfItems: Number(quantity) };
      }),
  write: (value) => (isSold(value) ? value.map((item) => `${item.ItemID}:${item.numberOfItems}`).join(" ") : ""),
  columns: { names: ["ItemID", "numberOfItems"], cellOf: (cells) => cells.map((cell) => cell.trim()).join(":") },
};

function isSold(value: unknown): value is readonly SoldItem[] {
  return Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null && "ItemID" in item);
}

const columns = "id, store_id, customer_id, DATE_FORMAT(purchased_on, '%Y%m%d'), items";

/** `files.select` of the purchases that `tally retention` removes. */
export const selectLeaving = `SELECT ${columns} FROM purchases_leaving`;

/** Purchases in files: `POST /purchases` accepts each line. */
export const files: EventFiles = {
  fields: ["storeID", "custID", "date", "items"],
  select: `SELECT ${columns} FROM purchases`,
  order: "id",
  columnValues: {
    items: (column): readonly SoldItem[] =>
      linesOf(column).map(([ItemID, numberOfItems]) => ({ ItemID, numberOfItems })),
  },
  filters: {
    store: numberFilter("store_id = ?", "--store", ids),
    date: { where: "purchased_on = ?", parse: (text) => parseCalendarDate("--date", text) },
  },
  cells: { items },
};
