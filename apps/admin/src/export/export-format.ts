import { stringify } from "csv-stringify/sync";
import type { EntryFields, EventFiles } from "@tally/contract";
import { keyColumn } from "../entries/entry-fields.ts";

/** How exported events become text. */
export interface ExportFormat {
  readonly head: (files: EventFiles) => string;
  readonly lines: (files: EventFiles, entries: readonly EntryFields[]) => string;
}

export const exportFormats = {
  csv: {
    head: ({ fields }) => stringify([[...Object.keys(fields), keyColumn]]),
    lines: ({ fields, cells }, entries) =>
      stringify(
        entries.map((entry) => [
          ...Object.keys(fields).map((name) => cells?.[name]?.write(entry[name]) ?? textOf(entry[name])),
          textOf(entry[keyColumn]),
        ]),
      ),
  },
  ndjson: {
    head: () => "",
    lines: (_files, entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""),
  },
} satisfies Record<string, ExportFormat>;

export type ExportFormatName = keyof typeof exportFormats;

function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
