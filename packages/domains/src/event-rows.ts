import {
  bytesOfEventId,
  eventIdOfBytes,
  type BatchId,
  type Event,
  type BatchEvent,
  type SqlReader,
  type SqlTransaction,
  type SqlValue,
  type Store,
} from "@tally/pipeline";

/** A table with a row for each event: its primary key is `id`, the event's, and `producer` and `sequence` name its batch. */
export interface EventTable<E extends Event> {
  /** INSERT INTO … VALUES ?, of what `row` makes. */
  readonly insert: string;
  readonly row: (event: E, id: Buffer, producer: Buffer, sequence: number) => readonly SqlValue[];
  /** SELECT id, and what `eventOf` needs, … WHERE id IN (?) */
  readonly select: string;
  /** SELECT producer, sequence … WHERE id = ? */
  readonly selectBatch: string;
}

// Rows of most tables are short.
const readMax = 500;

/**
 * The store of a domain that has one such table and nothing else: an event is a row, and the row is new when the event's id is. `eventOf`
 * makes an event from its row; by default the selected columns are the event's fields.
 */
export function eventStore<E extends Event>(
  table: EventTable<E>,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  eventOf: EventOf<E> = (id, row: object) => ({ ...row, id }) as E,
): Store<E, BatchEvent<E>> {
  return {
    async write(transaction, recorded) {
      return (await addEvents(transaction, table, recorded)).map((one) => one.recorded);
    },
    locate: (reader, eventId) => locateEvent(reader, table, eventId),
    read: (reader, eventIds) => readEvents(reader, table, eventOf, eventIds),
    readMax,
  };
}

/** Makes an event from its id and the columns of `EventTable.select`. */
export type EventOf<E extends Event> = (id: string, row: never) => E;

/** The events of some ids, made from their rows. One statement. */
export async function readEvents<E extends Event>(
  reader: SqlReader,
  { select }: Pick<EventTable<E>, "select">,
  eventOf: EventOf<E>,
  eventIds: readonly string[],
): Promise<readonly E[]> {
  if (eventIds.length === 0) return [];
  const rows = await reader.query<{ readonly id: Buffer }>(select, [eventIds.map(bytesOfEventId)]);
  // The statement and the type of its row stand side by side in a domain's store.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return rows.map((row) => eventOf(eventIdOfBytes(row.id), row as never));
}

/** An event whose row is new. */
export interface Added<E extends Event> {
  readonly recorded: BatchEvent<E>;
  readonly id: Buffer;
}

/**
 * Inserts a row for each event that has none, and answers which those are. Common case first: nearly always every one is new, and one
 * statement says so. Only when one exists already are the ids looked up. Between look-up and insert another writer may have stored one of
 * them: then look again.
 */
export async function addEvents<E extends Event>(
  transaction: SqlTransaction,
  { insert, row, select }: EventTable<E>,
  recorded: readonly BatchEvent<E>[],
): Promise<readonly Added<E>[]> {
  let missing = recorded.map((one): Added<E> => ({ recorded: one, id: bytesOfEventId(one.event.id) }));
  const rowOf = ({ recorded: { event, batch }, id }: Added<E>): readonly SqlValue[] =>
    row(event, id, Buffer.from(batch.producer, "hex"), batch.sequence);
  while (missing.length > 0 && (await transaction.insert(insert, missing.map(rowOf))) === "duplicate") {
    const stored = await transaction.query<{ id: Buffer }>(select, [missing.map(({ id }) => id)]);
    const ids = new Set(stored.map(({ id }) => id.toString("latin1")));
    missing = missing.filter(({ id }) => !ids.has(id.toString("latin1")));
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
