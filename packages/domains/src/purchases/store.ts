import { bytesOfEventId, type BatchId, type Recorded, type SqlReader, type SqlTransaction } from "@tally/pipeline";
import type { PurchaseEvent } from "./event.ts";

const insertPurchases = "INSERT INTO purchases (id, store_id, customer_id, purchased_on, producer, sequence) VALUES ?";
const insertItems = "INSERT INTO purchase_items (purchase_id, line, item_id, quantity) VALUES ?";
const selectStored = "SELECT id FROM purchases WHERE id IN (?)";
const selectBatch = "SELECT producer, sequence FROM purchases WHERE id = ?";

/** Purchases have no natural key: a row is new when its event id is. */
export const store = { write, locate };

async function write(
  transaction: SqlTransaction,
  recorded: readonly Recorded<PurchaseEvent>[],
): Promise<readonly Recorded<PurchaseEvent>[]> {
  const added = await addPurchases(transaction, recorded.map(prepare));
  if (added.length > 0) await transaction.insert(insertItems, added.flatMap(itemRows));
  return added.map((row) => row.recorded);
}

async function locate(reader: SqlReader, eventId: string): Promise<BatchId | undefined> {
  const [row] = await reader.query<{ producer: Buffer; sequence: number }>(selectBatch, [bytesOfEventId(eventId)]);
  return row === undefined ? undefined : { producer: row.producer.toString("hex"), sequence: row.sequence };
}

interface Row {
  readonly recorded: Recorded<PurchaseEvent>;
  readonly id: Buffer;
}

function prepare(recorded: Recorded<PurchaseEvent>): Row {
  return { recorded, id: bytesOfEventId(recorded.event.id) };
}

/**
 * Common case first: nearly always every row is new, and one statement says so. Only when one exists already are the ids
 * looked up. Between look-up and insert another writer may have stored one of them: then look again.
 */
async function addPurchases(transaction: SqlTransaction, rows: readonly Row[]): Promise<readonly Row[]> {
  let missing = rows;
  while (missing.length > 0 && (await transaction.insert(insertPurchases, missing.map(purchaseRow))) === "duplicate") {
    const stored = await transaction.query<{ id: Buffer }>(selectStored, [missing.map((row) => row.id)]);
    const ids = new Set(stored.map((row) => row.id.toString("latin1")));
    missing = missing.filter((row) => !ids.has(row.id.toString("latin1")));
  }
  return missing;
}

function purchaseRow({ recorded: { event, batch }, id }: Row) {
  return [id, event.storeId, event.customerId, event.date, Buffer.from(batch.producer, "hex"), batch.sequence];
}

function itemRows({ recorded, id }: Row) {
  return recorded.event.lines.map(([itemId, quantity], line) => [id, line, itemId, quantity]);
}
