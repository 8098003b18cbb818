import type { Recorded, SqlReader, SqlTransaction } from "@tally/pipeline";
import { addEvents, locateEvent, type Added, type EventTable } from "../event-rows.ts";
import type { PurchaseEvent } from "./event.ts";

const purchases: EventTable<PurchaseEvent> = {
  insert: "INSERT INTO purchases (id, store_id, customer_id, purchased_on, producer, sequence) VALUES ?",
  row: ({ storeId, customerId, date }, id, producer, sequence) => [id, storeId, customerId, date, producer, sequence],
  selectStored: "SELECT id FROM purchases WHERE id IN (?)",
  selectBatch: "SELECT producer, sequence FROM purchases WHERE id = ?",
};
const insertItems = "INSERT INTO purchase_items (purchase_id, line, item_id, quantity) VALUES ?";

/** Purchases have no natural key: a row is new when its event id is. */
export const store = {
  async write(
    transaction: SqlTransaction,
    recorded: readonly Recorded<PurchaseEvent>[],
  ): Promise<readonly Recorded<PurchaseEvent>[]> {
    const added = await addEvents(transaction, purchases, recorded);
    if (added.length > 0) await transaction.insert(insertItems, added.flatMap(itemRows));
    return added.map((one) => one.recorded);
  },
  locate: (reader: SqlReader, eventId: string) => locateEvent(reader, purchases, eventId),
};

function itemRows({ recorded, id }: Added<PurchaseEvent>) {
  return recorded.event.lines.map(([itemId, quantity], line) => [id, line, itemId, quantity]);
}
