import { eventStore } from "../event-rows.ts";
import type { PurchaseEvent } from "./event.ts";

/** Purchases have no natural key: a row is new when its event id is. */
export const store = eventStore<PurchaseEvent>({
  insert: "INSERT INTO purchases (id, store_id, customer_id, purchased_on, items, producer, sequence) VALUES ?",
  row: ({ storeId, customerId, date, lines }, id, producer, sequence) => [
    id,
    storeId,
    customerId,
    date,
    JSON.stringify(lines),
    producer,
    sequence,
  ],
  selectStored: "SELECT id FROM purchases WHERE id IN (?)",
  selectBatch: "SELECT producer, sequence FROM purchases WHERE id = ?",
});
