import { hashOfBody } from "@tally/ledger";
import { textOfBatchId, type Batch, type Event } from "@tally/pipeline";
import type { Delivery } from "@tally/messaging";

/** A batch and the delivery that brought it. */
export interface ReceivedBatch {
  readonly batch: Batch;
  /** textOfBatchId, the key under which a batch is looked up. */
  readonly key: string;
  readonly bodyHash: Buffer;
  /** Events of the message that the database refuses for their data; they are not in `batch.events`. */
  readonly refused: number;
  readonly delivery: Delivery;
}

/** Reads a delivery; throws UndecodableBatch. */
export function receive(decode: (body: Buffer) => Batch, delivery: Delivery): ReceivedBatch {
  const batch = decode(delivery.body);
  return { batch, key: textOfBatchId(batch.id), bodyHash: hashOfBody(delivery.body), refused: 0, delivery };
}

/** The same batch without some of its events. */
export function without(received: ReceivedBatch, refused: ReadonlySet<Event>): ReceivedBatch {
  const events = received.batch.events.filter((event) => !refused.has(event));
  return { ...received, batch: { ...received.batch, events }, refused: refused.size };
}
