import type { Recorded, SqlReader, SqlTransaction } from "@tally/pipeline";
import { addEvents, locateEvent, type EventTable } from "../event-rows.ts";
import type { PurchaseEvent } from "./event.ts";

const purchases: EventTable<PurchaseEvent> = {
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
};

/** Purchases have no natural key: a row is new when its event id is. */
export const store = {
  async write(
    transaction: SqlTransaction,
    recorded: readonly Recorded<PurchaseEvent>[],
  ): Promise<readonly Recorded<PurchaseEvent>[]> {
    return (await addEvents(transaction, purchases, recorded)).map((one) => one.recorded);
  },
  locate: (reader: SqlReader, eventId: string) => locateEvent(reader, purchases, eventId),
};
