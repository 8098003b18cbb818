import { hashOfBody, type NewLetter } from "@tally/database";
import { textOfBatchId, type Batch, type Event } from "@tally/contract";
import type { Delivery } from "@tally/broker";
import { tracedEventsOf, tracesHeader, type TracedEvent, type Tracer } from "@tally/telemetry";

/** A batch and the delivery that brought it. */
export interface ReceivedBatch {
  readonly batch: Batch;
  /** textOfBatchId of its id. */
  readonly key: string;
  readonly bodyHash: Buffer;
  /** Events of the message that the database rejects for their data, and why; `batch.events` is without them. */
  readonly rejected: ReadonlyMap<Event, string>;
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
    rejected: new Map(),
    delivery,
    deliveredAtMs: performance.now(),
    traced: tracedEventsOf(delivery.headers),
  };
}

/** Returns the batch without the given events. */
export function without(received: ReceivedBatch, rejected: ReadonlyMap<Event, string>): ReceivedBatch {
  const events = received.batch.events.filter((event) => !rejected.has(event));
  return { ...received, batch: { ...received.batch, events }, rejected: new Map([...received.rejected, ...rejected]) };
}

/**
 * Records the step "stored" of the traced events of a committed batch. Returns the headers for its ranking message;
 * undefined for nearly every batch, which has none. `conflicts`: letters, each with the id of its event as message id.
 */
export function traceStored(
  tracer: Tracer,
  domain: string,
  { traced, key, deliveredAtMs, rejected }: ReceivedBatch,
  conflicts: readonly NewLetter[],
): Readonly<Record<string, string>> | undefined {
  if (traced.length === 0) return undefined;
  const dead = new Set([
    ...conflicts.map(({ messageId }) => messageId),
    ...Array.from(rejected.keys(), ({ id }) => id),
  ]);
  const next = traced.map(({ eventId, context: parent }) => {
    const step = tracer.begin("stored", parent, deliveredAtMs);
    step.end({ eventId, domain, batch: key, outcome: dead.has(eventId) ? "dead letter" : "stored" });
    return { eventId, context: step.context };
  });
  return tracesHeader(next);
}
