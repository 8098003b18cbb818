import {
  bytesOfEventId,
  eventIdOfBytes,
  type BatchEvent,
  type BatchId,
  type Event,
  type SqlReader,
  type SqlTransaction,
  type SqlValue,
  type Store,
} from "@tally/contract";

/** A table with one row for each event. Its primary key `id` is the event's; `producer` and `sequence` are its batch. */
export interface EventTable<E extends Event> {
  /** INSERT INTO … (id, the columns of `row`, producer, sequence) VALUES ? */
  readonly insert: string;
  readonly row: (event: E) => readonly SqlValue[];
  /** SELECT id, and what `eventOf` needs, … WHERE id IN (?) */
  readonly select: string;
  /** SELECT producer, sequence … WHERE id = ? */
  readonly selectBatch: string;
}

/** Makes an event of its id and the columns of `EventTable.select`. */
export type EventOf<E extends Event> = (id: string, row: never) => E;

// Rows of most tables are short.
const readMax = 500;

/** The store of a domain with one such table: a row is new if the event's id is. By default the selected columns are the event's fields. */
export function eventStore<E extends Event>(
  table: EventTable<E>,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  eventOf: EventOf<E> = (id, row: object) => ({ ...row, id }) as E,
): Store<E, BatchEvent<E>> {
  return {
    write: (transaction, events) => addEvents(transaction, table, events),
    locate: (reader, eventId) => locateEvent(reader, table, eventId),
    read: (reader, eventIds) => readEvents(reader, table, eventOf, eventIds),
    readMax,
  };
}

/** One statement. */
export async function readEvents<E extends Event>(
  reader: SqlReader,
  { select }: Pick<EventTable<E>, "select">,
  eventOf: EventOf<E>,
  eventIds: readonly string[],
): Promise<readonly E[]> {
  if (eventIds.length === 0) return [];
  const rows = await reader.query<{ readonly id: Buffer }>(select, [eventIds.map(bytesOfEventId)]);
  // A domain's store has the statement and the type of its rows side by side.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return rows.map((row) => eventOf(eventIdOfBytes(row.id), row as never));
}

/**
 * Inserts a row for each event without one and returns these events. Common case first: all are new, and one statement inserts them. Only if
 * one exists are the ids looked up. Another writer may insert one of them between lookup and insert: then this repeats the lookup.
 */
export async function addEvents<E extends Event>(
  transaction: SqlTransaction,
  { insert, row, select }: EventTable<E>,
  events: readonly BatchEvent<E>[],
): Promise<readonly BatchEvent<E>[]> {
  let last: BatchId | undefined;
  let producer = Buffer.alloc(0);
  const rowOf = ({ event, batch }: BatchEvent<E>): readonly SqlValue[] => {
    if (batch !== last) producer = Buffer.from(batch.producer, "hex");
    last = batch;
    return [bytesOfEventId(event.id), ...row(event), producer, batch.sequence];
  };
  let missing = events;
  while (missing.length > 0 && (await transaction.insert(insert, missing.map(rowOf))) === "duplicate") {
    const ids = missing.map(({ event }) => bytesOfEventId(event.id));
    const stored = await transaction.query<{ id: Buffer }>(select, [ids]);
    const storedIds = new Set(stored.map(({ id }) => id.toString("hex")));
    missing = missing.filter(({ event }) => !storedIds.has(bytesOfEventId(event.id).toString("hex")));
  }
  return missing;
}

/** The batch that stored an event. */
export async function locateEvent<E extends Event>(
  reader: SqlReader,
  { selectBatch }: EventTable<E>,
  eventId: string,
): Promise<BatchId | undefined> {
  const [row] = await reader.query<{ producer: Buffer; sequence: number }>(selectBatch, [bytesOfEventId(eventId)]);
  return row === undefined ? undefined : { producer: row.producer.toString("hex"), sequence: row.sequence };
}
