import { hashOfBody } from "@tally/database";
import { textOfBatchId, type Batch, type Event } from "@tally/contract";
import type { Delivery } from "@tally/broker";
import { tracedEventsOf, type TracedEvent } from "@tally/telemetry";

/** A batch and the delivery that brought it. */
export interface ReceivedBatch {
  readonly batch: Batch;
  /** textOfBatchId of its id. */
  readonly key: string;
  readonly bodyHash: Buffer;
  /** Events of the message that the database rejects for their data, and why; `batch.events` is without them. */
  readonly refused: ReadonlyMap<Event, string>;
  readonly delivery: Delivery;
  /** When it was delivered, by performance.now(). */
  readonly deliveredAtMs: number;
  /** Events of sampled requests; empty in nearly every batch. */
  readonly traced: readonly TracedEvent[];
}

/** Decodes a delivery; throws UndecodableBatch. */
export function receive(decode: (body: Buffer) => Batch, delivery: Delivery): ReceivedBatch {
  const batch = decode(delivery.body);
  return {
    batch,
    key: textOfBatchId(batch.id),
    bodyHash: hashOfBody(delivery.body),
    refused: new Map(),
    delivery,
    deliveredAtMs: performance.now(),
    traced: tracedEventsOf(delivery.headers),
  };
}

/** Returns the batch without the given events. */
export function without(received: ReceivedBatch, refused: ReadonlyMap<Event, string>): ReceivedBatch {
  const events = received.batch.events.filter((event) => !refused.has(event));
  return { ...received, batch: { ...received.batch, events }, refused: new Map([...received.refused, ...refused]) };
}
