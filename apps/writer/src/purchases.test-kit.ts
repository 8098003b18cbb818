import { randomBytes } from "node:crypto";
import { ownDatabase } from "@tally/database/own-database";
import { beforeAll } from "vitest";
import { addDomains, deadLetterMigrations, ledgerMigrations, retentionMigrations } from "@tally/database";
import { domains } from "@tally/domains";
import type { Delivery } from "@tally/broker";
import { encodeBatch, encodeEvent, newEventId, type BatchId, type Event, type SqlReader } from "@tally/contract";

const found = domains.find(({ name }) => name === "purchases");
if (found === undefined) throw new Error("there is no domain purchases");
export const purchases = found;

/** A database of this test file with the tables that a writer of purchases needs. */
export function purchasesDatabase() {
  const { name, migrations } = purchases;
  const own = ownDatabase(
    [ledgerMigrations, "ledger"],
    [deadLetterMigrations, "dead-letters"],
    [retentionMigrations, "retention"],
    [migrations, name],
  );
  beforeAll(() => own.connect().transaction((transaction) => addDomains(transaction, [name])));
  return own;
}

/** Two pieces of item 5, sold in a store. */
export function sale(storeId: number, more: object = {}): Event {
  const fields = { storeId, customerId: 1, date: 20261120, lines: [[5, 2]] };
  return { id: newEventId(), ...fields, ...more };
}

/** A sale that passes the schema, in which a date is a number, and that no database stores. */
export function poison(storeId: number): Event {
  return sale(storeId, { date: 20260230 });
}

export function bodyOf(events: readonly Event[], id: BatchId = newBatchId()): Buffer {
  return encodeBatch(id, Date.now(), events.map(encodeEvent), 1);
}

export function newBatchId(): BatchId {
  return { producer: randomBytes(8).toString("hex"), sequence: 0 };
}

export function deliveryOf(body: Buffer, ack: () => void = () => undefined): Delivery {
  const settle = () => undefined;
  return { body, messageId: "m", redelivered: false, headers: {}, lost: false, ack, reject: settle, giveBack: settle };
}

/** The ids of a store's rows. */
export async function rowsOf(reader: SqlReader, storeId: number): Promise<readonly string[]> {
  const rows = await reader.query<{ id: Buffer }>("SELECT id FROM purchases WHERE store_id = ? ORDER BY id", [storeId]);
  return rows.map(({ id }) => id.toString("hex"));
}

/** An event id as rowsOf returns it. */
export function hexOf({ id }: Event): string {
  return id.replaceAll("-", "");
}
