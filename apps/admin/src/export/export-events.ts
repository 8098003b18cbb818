import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Database } from "@tally/database";
import { eventIdOfBytes, type EntryFields, type EventFiles, type SqlParameter } from "@tally/contract";
import { keyColumn } from "../entries/entry-fields.ts";
import type { ExportFormat } from "./export-format.ts";

/** What an export selects, as conditions with one `?` each. */
export interface Selected {
  readonly where: string;
  readonly value: SqlParameter;
}

export interface ExportOptions {
  readonly files: EventFiles;
  readonly format: ExportFormat;
  readonly selected: readonly Selected[];
  readonly endpoint: "read" | "write";
  readonly database: Pick<Database, "snapshot">;
  readonly onProgress: (events: number) => void;
}

/**
 * Writes all selected events to a stream, in one consistent snapshot. Each has its event id as Idempotency-Key:
 * importing it twice, also from two overlapping exports, stores it once. Holds one chunk of rows in memory. Returns how
 * many there are. Throws DatabaseError.
 */
export function exportEvents(options: ExportOptions, stream: Writable): Promise<number> {
  const { files, format, selected, endpoint, database, onProgress } = options;
  const where = selected.length === 0 ? "" : ` WHERE ${selected.map((one) => one.where).join(" AND ")}`;
  const sql = `${files.select}${where} ORDER BY ${files.order}`;
  return database.snapshot(endpoint, async (snapshot) => {
    await write(stream, format.head(files));
    let events = 0;
    for await (const rows of snapshot.stream(
      sql,
      selected.map(({ value }) => value),
    )) {
      await write(
        stream,
        format.lines(
          files,
          rows.map((row) => entryOf(files, row)),
        ),
      );
      onProgress((events += rows.length));
    }
    return events;
  });
}

function entryOf({ fields, columnValues }: EventFiles, [id, ...columns]: readonly unknown[]): EntryFields {
  if (!Buffer.isBuffer(id)) throw new TypeError("files.select must return an id of 16 bytes first");
  const values = fields.map((name, at) => [name, columnValues?.[name]?.(columns[at]) ?? columns[at]] as const);
  // A column that is NULL is an absent field.
  const present = values.filter(([, value]) => value !== null);
  return { ...Object.fromEntries(present), [keyColumn]: eventIdOfBytes(id) };
}

/** Waits while the reader of the stream is slow. */
async function write(stream: Writable, text: string): Promise<void> {
  if (text !== "" && !stream.write(text)) await once(stream, "drain");
}
