import { Compile } from "typebox/compile";
import { eventStore } from "../event-rows.ts";
import { PurchaseEvent } from "./event.ts";

const isLines = Compile(PurchaseEvent.properties.lines);

/** Purchases have no natural key: a row is new if its event id is. */
export const store = eventStore(
  {
    insert: "INSERT INTO purchases (id, store_id, customer_id, purchased_on, items, producer, sequence) VALUES ?",
    row: ({ storeId, customerId, date, lines }: PurchaseEvent) => [storeId, customerId, date, JSON.stringify(lines)],
    select: `
      SELECT id, store_id AS storeId, customer_id AS customerId, DATE_FORMAT(purchased_on, '%Y%m%d') AS date, items
      FROM purchases WHERE id IN (?)`,
    selectBatch: "SELECT producer, sequence FROM purchases WHERE id = ?",
  },
  (id, { date, items, ...row }: PurchaseRow): PurchaseEvent => ({
    ...row,
    id,
    date: Number(date),
    lines: linesOf(items),
  }),
);

interface PurchaseRow extends Pick<PurchaseEvent, "storeId" | "customerId"> {
  readonly date: string;
  /** MySQL sends its JSON type, which the driver parses; MariaDB sends text. */
  readonly items: unknown;
}

/** The lines of a column `items`. */
export function linesOf(items: unknown): PurchaseEvent["lines"] {
  const lines: unknown = typeof items === "string" ? JSON.parse(items) : items;
  if (!isLines.Check(lines)) throw new TypeError("purchases.items: expected a list of [item, quantity]");
  return lines;
}
