import { randomBytes } from "node:crypto";
import { connectPublisher } from "@tally/broker";
import { encodeBatch, encodeEvent, newEventId, queuesOf, type Event } from "@tally/contract";
import type { System } from "@tally/local";
import { silentLog } from "@tally/runtime";
import { atEnd } from "@tally/local/at-end";

/** Publishes messages to the queues of a domain, as a gateway does, until the end of the test or of the file. */
export async function openPublisher({ namespace, addresses }: System, domain = "purchases") {
  const queues = queuesOf(namespace, domain);
  const publisher = connectPublisher({
    url: addresses.amqpUrl,
    connectionName: "test",
    queues: Object.values(queues),
    log: silentLog,
  });
  atEnd(() => publisher.close());
  await publisher.ready;
  return (body: Buffer, messageId = "m", queue: "ingest" | "rank" = "ingest") =>
    publisher.publish({ queue: queues[queue].name, messageId, body });
}

/** A message with the only batch of a new producer. */
export function batchOf(events: readonly Event[], eventVersion = 1): Buffer {
  const batch = { producer: randomBytes(8).toString("hex"), sequence: 0 };
  return encodeBatch(batch, Date.now(), events.map(encodeEvent), eventVersion);
}

/** An event of purchases: two pieces of item 5. */
export function saleEvent(storeId: number, more: object = {}) {
  return { id: newEventId(), storeId, customerId: 1, date: 20261120, lines: [[5, 2]], ...more };
}

/** The 30th of February passes the schema of stored events, where a date is a number; the database rejects it. */
export const poisonSale = (storeId: number) => saleEvent(storeId, { date: 20260230 });
