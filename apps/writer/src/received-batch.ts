import { hashOfBody, type NewLetter, retainedFrom, surelyRetainedFrom } from "@tally/database";
import { textOfBatchId, type Batch, type Event, type Domain, type SqlTransaction } from "@tally/contract";
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
  /** By performance.now(). */
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

/** Records the step "stored" of the traced events of a committed batch. Returns the headers for its ranking message.
 * `letters`: a conflict's has the id of its event as message id. */
export function traceStored(
  tracer: Tracer,
  domain: string,
  { traced, key, deliveredAtMs, rejected }: ReceivedBatch,
  letters: readonly NewLetter[],
): Readonly<Record<string, string>> | undefined {
  if (traced.length === 0) return undefined;
  const rejectedIds = Array.from(rejected.keys(), ({ id }) => id);
  const dead = new Set([...letters.map(({ id, messageId }) => messageId || id), ...rejectedIds]);
  const next = traced.map(({ eventId, context: parent }) => {
    const step = tracer.begin("stored", parent, deliveredAtMs);
    step.end({ eventId, domain, batch: key, outcome: dead.has(eventId) ? "dead letter" : "stored" });
    return { eventId, context: step.context };
  });
  return tracesHeader(next);
}

/** Moves events of removed months to `rejected`: each may be sent again after its row was removed, and would count
 * twice. Must come before the rows are written, in their transaction. Reads only if an event is over 30 days old.
 * `now`: by the database's clock. */
export async function withoutLate(
  transaction: SqlTransaction,
  { name, retention }: Domain,
  batches: readonly ReceivedBatch[],
  now: number,
): Promise<readonly ReceivedBatch[]> {
  if (retention === undefined) return batches;
  const { dateOf } = retention;
  const surely = surelyRetainedFrom(now);
  if (!batches.some(({ batch }) => batch.events.some((event) => dateOf(event) < surely))) return batches;
  const from = await retainedFrom(transaction, name, retention);
  if (from === undefined) return batches;
  const reasonOf = (event: Event): string =>
    `late: its date ${dateOf(event)} is before ${from}; ` +
    `earlier ${name} are exported and removed, so it may be a retry of one of them`;
  return batches.map((one) => {
    const late = one.batch.events.filter((event) => dateOf(event) < from);
    return late.length === 0 ? one : without(one, new Map(late.map((event) => [event, reasonOf(event)])));
  });
}
