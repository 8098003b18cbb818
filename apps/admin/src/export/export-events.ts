import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Database } from "@tally/database";
import { fieldsOfEvent, type EntryFields, type Event, type EventFiles, type SqlParameter } from "@tally/contract";
import { usageError } from "../command.ts";
import { keyColumn } from "../entries/entry-fields.ts";
import { stringify } from "csv-stringify/sync";
import { lstatSync, rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { finished } from "node:stream/promises";

/** What an export selects, as conditions with one `?` each. */
export interface Selected {
  readonly where: string;
  readonly value: SqlParameter;
}

interface ExportOptions {
  readonly files: EventFiles;
  /** A table with the columns of the domain's; default: that one. */
  readonly table?: string;
  readonly format: ExportFormat;
  readonly selected: readonly Selected[];
  readonly endpoint: "read" | "write";
  readonly database: Pick<Database, "snapshot">;
  /** Called with each event that is stored and what is written of it. */
  readonly onEvent?: (event: Event, entry: EntryFields) => void;
  /** Called with each text that is written. */
  readonly onText?: (text: string) => void;
  readonly onProgress: (events: number) => void;
}

/** Writes the selected events in one snapshot, a chunk of rows in memory, keys are event ids. Returns their number. */
export function exportEvents(options: ExportOptions, stream: Writable): Promise<number> {
  const { files, table = files.rows.table, format, selected, endpoint, database, onEvent, onProgress } = options;
  const where = selected.length === 0 ? "" : ` WHERE ${selected.map((one) => one.where).join(" AND ")}`;
  const sql = `${files.rows.selectFrom(table)}${where} ORDER BY ${files.order}`;
  const values = selected.map(({ value }) => value);
  /** Waits while the reader of the stream is slow. */
  const write = async (text: string): Promise<void> => {
    options.onText?.(text);
    if (text !== "" && !stream.write(text)) await once(stream, "drain");
  };
  return database.snapshot(endpoint, async (snapshot) => {
    await write(format.head(files));
    let events = 0;
    for await (const rows of snapshot.stream(sql, values)) {
      const entries = rows.map((row) => {
        const event = files.rows.eventOf(row);
        const entry = {
          ...fieldsOfEvent(files.fields, event),
          ...(!files.isConfiguration && { [keyColumn]: event.id }),
        };
        onEvent?.(event, entry);
        return entry;
      });
      await write(format.lines(files, entries));
      onProgress((events += rows.length));
    }
    return events;
  });
}

/** How exported events become text. */
interface ExportFormat {
  readonly head: (files: EventFiles) => string;
  readonly lines: (files: EventFiles, entries: readonly EntryFields[]) => string;
}

export const exportFormats = {
  csv: {
    head: (files) => stringify([columnsOf(files)]),
    lines: (files, entries) =>
      stringify(
        entries.map((entry) =>
          columnsOf(files).map((name) => files.cells?.[name]?.write(entry[name]) ?? textOf(entry[name])),
        ),
      ),
  },
  ndjson: { head: () => "", lines: (_files, entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join("") },
} satisfies Record<string, ExportFormat>;

const columnsOf = ({ fields, isConfiguration }: EventFiles) => [
  ...Object.keys(fields),
  ...(isConfiguration ? [] : [keyColumn]),
];

function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Writes a file completely or not at all. An error or Ctrl-C removes the partial file; a kill leaves it. Throws a
 * CommandError for what is no regular file: it would be replaced. */
export async function writeCompleteFile<T>(path: string, write: (stream: Writable) => Promise<T>): Promise<T> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw usageError(`${path}: expected a regular file, no link or device`);
  const partial = `${path}.${randomUUID()}.partial`;
  const remove = (): void => rmSync(partial, { force: true });
  const file = await open(partial, "wx");
  process.once("exit", remove);
  const stream = file.createWriteStream({ flush: true });
  const writeAll = async (): Promise<T> => {
    const result = await write(stream);
    stream.end();
    return result;
  };
  try {
    const [result] = await Promise.all([writeAll(), finished(stream)]);
    await rename(partial, path);
    return result;
  } finally {
    stream.destroy();
    remove();
    process.removeListener("exit", remove);
  }
}
