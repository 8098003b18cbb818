import { bytesOfEventId, eventIdOfBytes } from "@tally/contract";
import type { BatchEvent, BatchId, Event, EventRows, SqlTransaction, SqlValue, Store } from "@tally/contract";
import { Type, type Static, type TObject, type TSchema } from "typebox";

/** A text is the name of the column. */
type Column<T> =
  | string
  | {
      readonly name: string;
      readonly select?: string;
      /** Default: the value itself; a boolean as 1 or 0. */
      readonly toColumn?: (value: T) => SqlValue;
      readonly ofColumn?: (column: unknown) => T;
    };

/** The id is always BINARY(16) `id`. NULL is an absent optional field. */
export type Columns<E> = { readonly [F in Exclude<keyof E, "id">]-?: Column<Exclude<E[F], undefined>> };

/** A column with the id of another event. */
export const idColumn = (name: string) => ({
  name,
  toColumn: bytesOfEventId,
  ofColumn: (bytes: unknown) => (Buffer.isBuffer(bytes) ? eventIdOfBytes(bytes) : ""),
});

/** A table with one row for each event: `id` is the event's, `producer` and `sequence` are its batch. A row is new if
 * its id is. */
export interface EventTable<E extends Event> extends Store<E, BatchEvent<E>>, EventRows<E> {
  readonly write: <T extends E>(
    transaction: SqlTransaction,
    events: readonly BatchEvent<T>[],
  ) => Promise<readonly BatchEvent<T>[]>;
  /** For `eventOfRow`. `instead`: other SQL for some fields. */
  readonly selectList: (instead?: { readonly [F in keyof E]?: string }) => string;
  readonly eventOfRow: (row: object) => E;
}

/** `derived`: columns that follow from the event: written, never read. */
export function eventTable<S extends TObject>(
  schema: S,
  name: string,
  columns: Columns<Static<S>>,
  derived: Readonly<Record<string, (event: Static<S>) => SqlValue>> = {},
): EventTable<Static<S> & Event> {
  type E = Static<S> & Event;
  // A column receives only the values of its field.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const columnOf = columns as Readonly<Record<string, Column<never>>>;
  const fields = Object.entries(columnOf).map(([field, column]) => fieldOf(field, column, schema.properties[field]));
  const names = ["id", ...fields.map(({ field }) => field)];
  const rowColumns = ["id", ...fields.map(({ column }) => column), ...Object.keys(derived), "producer", "sequence"];
  const selectList = (instead: Partial<Record<string, string>> = {}): string =>
    ["id", ...fields.map(({ field, select }) => `${instead[field] ?? select} AS \`${field}\``)].join(", ");
  const insert = `INSERT INTO ${name} (${rowColumns.join(", ")}) VALUES ?`;
  const select = `SELECT ${selectList()} FROM ${name} WHERE id IN (?)`;
  const selectBatch = `SELECT producer, sequence FROM ${name} WHERE id = ?`;

  const rowOf = (event: E): readonly SqlValue[] => [
    bytesOfEventId(event.id),
    ...fields.map(({ field, toColumn }) => toColumn(Reflect.get(event, field))),
    ...Object.values(derived).map((valueOf) => valueOf(event)),
  ];
  const eventOf = ([id, ...values]: readonly unknown[]): E => {
    if (!Buffer.isBuffer(id)) throw new TypeError(`${name}: expected an id of 16 bytes in the first column`);
    const event: Record<string, unknown> = { id: eventIdOfBytes(id) };
    for (const [at, { field, isOptional, ofColumn }] of fields.entries()) {
      if (values[at] !== null || !isOptional) event[field] = ofColumn(values[at]);
    }
    // The columns have the types of the schema: a test compares what is read with what was written, for every domain.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return event as E;
  };
  const eventOfRow = (row: object): E => eventOf(names.map((one): unknown => Reflect.get(row, one)));
  return {
    table: name,
    columns: rowColumns,
    selectFrom: (table) => `SELECT ${selectList()} FROM ${table}`,
    selectList,
    eventOf,
    eventOfRow,
    write: (transaction, events) => addEvents(transaction, { insert, select, rowOf }, events),
    async locate(reader, eventId) {
      const [row] = await reader.query<{ producer: Buffer; sequence: number }>(selectBatch, [bytesOfEventId(eventId)]);
      return row && { producer: row.producer.toString("hex"), sequence: row.sequence };
    },
    async read(reader, eventIds) {
      if (eventIds.length === 0) return [];
      return (await reader.query(select, [eventIds.map(bytesOfEventId)])).map(eventOfRow);
    },
    // Most rows are short.
    readMax: 500,
  };
}

function fieldOf(field: string, column: Column<never>, schema: TSchema | undefined) {
  const { name, ...own } = typeof column === "string" ? { name: column } : column;
  const isBoolean = Type.IsBoolean(schema);
  const toColumn = isBoolean ? Number : (own.toColumn ?? ((value: SqlValue) => value));
  return {
    field,
    isOptional: schema !== undefined && Type.IsOptional(schema),
    column: name,
    select: own.select ?? name,
    // The value is the field's own, because the schema has accepted the event.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    toColumn: (value: unknown) => (value === undefined ? null : toColumn(value as never)),
    ofColumn: isBoolean ? (value: unknown) => value === 1 : (own.ofColumn ?? ((value: unknown) => value)),
  };
}

/** Returns the inserted events. Common case first: all are new, and one statement inserts them. Only if one exists are
 * the ids looked up. Another writer may insert one of them in between: then this repeats the lookup. */
async function addEvents<E extends Event, T extends E>(
  transaction: SqlTransaction,
  { insert, select, rowOf }: { insert: string; select: string; rowOf: (event: E) => readonly SqlValue[] },
  events: readonly BatchEvent<T>[],
): Promise<readonly BatchEvent<T>[]> {
  let last: BatchId | undefined;
  let producer = Buffer.alloc(0);
  const wholeRowOf = ({ event, batch }: BatchEvent<E>): readonly SqlValue[] => {
    if (batch !== last) producer = Buffer.from(batch.producer, "hex");
    last = batch;
    return [...rowOf(event), producer, batch.sequence];
  };
  // All writers use the same order: two that store copies of the same events wait for each other and do not deadlock.
  let missing: readonly BatchEvent<T>[] = events.toSorted((a, b) => (a.event.id < b.event.id ? -1 : 1));
  while (missing.length > 0 && (await transaction.insert(insert, missing.map(wholeRowOf))) === "duplicate") {
    const ids = missing.map(({ event }) => bytesOfEventId(event.id));
    const stored = await transaction.query<{ id: Buffer }>(select, [ids]);
    const storedIds = new Set(stored.map(({ id }) => id.toString("hex")));
    missing = missing.filter(({ event }) => !storedIds.has(bytesOfEventId(event.id).toString("hex")));
  }
  return missing;
}
