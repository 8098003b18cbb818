import { Compile } from "typebox/compile";
import { eventTable } from "../event-table.ts";
import { PurchaseEvent } from "./event.ts";

const isItems = Compile(PurchaseEvent.properties.lines);

/** Purchases have no natural key: a row is new if its event id is. */
export const store = eventTable(PurchaseEvent, "purchases", {
  storeId: "store_id",
  customerId: "customer_id",
  date: { name: "purchased_on", select: "DATE_FORMAT(purchased_on, '%Y%m%d')", ofColumn: Number },
  lines: { name: "items", toColumn: JSON.stringify, ofColumn: itemsOf },
  soldAt: "sold_at",
});

/** The items of a column `items`: MySQL sends its JSON type, which the driver parses; MariaDB sends text. */
function itemsOf(column: unknown): PurchaseEvent["lines"] {
  const items: unknown = typeof column === "string" ? JSON.parse(column) : column;
  if (!isItems.Check(items)) throw new TypeError("purchases.items: expected a list of items");
  return items;
}
