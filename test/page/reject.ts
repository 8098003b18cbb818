import { randomBytes } from "node:crypto";
import { silentLog } from "@tally/runtime";
import type { System } from "@tally/local";
import { connectPublisher } from "@tally/broker";
import { encodeBatch, encodeEvent, newEventId, queuesOf } from "@tally/contract";

/** Publishes a sale that the database rejects, because there is no 30th of February. It becomes a dead letter with the returned id. */
export async function rejectedSale({ namespace, addresses }: System, storeId: number): Promise<string> {
  const queues = queuesOf(namespace, "purchases");
  const publisher = connectPublisher({
    url: addresses.amqpUrl,
    connectionName: "test",
    queues: Object.values(queues),
    log: silentLog,
  });
  try {
    await publisher.ready;
    const id = newEventId();
    const event = { id, storeId, customerId: 1, date: 20260230, lines: [[5, 2]] };
    const batch = { producer: randomBytes(8).toString("hex"), sequence: 0 };
    const body = encodeBatch(batch, Date.now(), [encodeEvent(event)], 1);
    await publisher.publish({ queue: queues.ingest.name, messageId: "m", body });
    return id;
  } finally {
    await publisher.close();
  }
}
