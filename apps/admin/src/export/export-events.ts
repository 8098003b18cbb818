import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Database } from "@tally/database";
import { fieldsOfEvent, type EntryFields, type Event, type EventFiles, type SqlParameter } from "@tally/contract";
import { keyColumn } from "../entries/entry-fields.ts";
import type { ExportFormat } from "./export-format.ts";

/** What an export selects, as conditions with one `?` each. */
export interface Selected {
  readonly where: string;
  readonly value: SqlParameter;
}

export interface ExportOptions {
  readonly files: EventFiles;
  /** A table with the columns of the domain's; default: that one. */
  readonly table?: string;
  readonly format: ExportFormat;
  readonly selected: readonly Selected[];
  readonly endpoint: "read" | "write";
  readonly database: Pick<Database, "snapshot">;
  /** Called with each event that is stored and what is written of it. */
  readonly onEvent?: (event: Event, entry: EntryFields) => void;
  readonly onProgress: (events: number) => void;
}

/**
 * Writes all selected events to a stream, in one consistent snapshot. Each has its event id as Idempotency-Key:
 * importing it twice, also from two overlapping exports, stores it once. Holds one chunk of rows in memory. Returns how
 * many there are. Throws DatabaseError, and what `onEvent` throws.
 */
export function exportEvents(options: ExportOptions, stream: Writable): Promise<number> {
  const { files, table = files.rows.table, format, selected, endpoint, database, onEvent, onProgress } = options;
  const where = selected.length === 0 ? "" : ` WHERE ${selected.map((one) => one.where).join(" AND ")}`;
  const sql = `${files.rows.selectFrom(table)}${where} ORDER BY ${files.order}`;
  const values = selected.map(({ value }) => value);
  return database.snapshot(endpoint, async (snapshot) => {
    await write(stream, format.head(files));
    let events = 0;
    for await (const rows of snapshot.stream(sql, values)) {
      const entries = rows.map((row) => {
        const event = files.rows.eventOf(row);
        const entry = { ...fieldsOfEvent(files.fields, event), [keyColumn]: event.id };
        onEvent?.(event, entry);
        return entry;
      });
      await write(stream, format.lines(files, entries));
      onProgress((events += rows.length));
    }
    return events;
  });
}

/** Waits while the reader of the stream is slow. */
async function write(stream: Writable, text: string): Promise<void> {
  if (text !== "" && !stream.write(text)) await once(stream, "drain");
}
