import { stringify } from "csv-stringify/sync";
import type { Domain } from "@tally/contract";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { checkedChunks } from "./checked-chunks.ts";
import { isOfRejection, rejectedColumns } from "./csv-columns.ts";
import { csvHeader, csvLines } from "./csv-lines.ts";
import type { ImportLine } from "./import-line.ts";
import { ndjsonLines } from "./ndjson-lines.ts";

/** How the lines of a file are read, and how its rejected lines are written. */
export interface FileFormat {
  readonly extension: ".csv" | ".ndjson";
  lines(file: string, chunks: AsyncIterable<Buffer>, domain: Domain): AsyncIterable<ImportLine>;
  /** The first line of the file of rejected lines. */
  rejectedHead(file: string): Promise<string>;
  rejectedLine(line: ImportLine, reason: string): string;
}

const csv: FileFormat = {
  extension: ".csv",
  lines: csvLines,
  async rejectedHead(file) {
    const header = await csvHeader(file, checkedChunks(file));
    return stringify([[...rejectedColumns, ...header.filter((name) => !isOfRejection(name))]]);
  },
  rejectedLine: ({ number, cells }, reason) => stringify([[number, reason, ...cells]]),
};

const ndjson: FileFormat = {
  extension: ".ndjson",
  lines: (_file, chunks) => ndjsonLines(chunks),
  rejectedHead: () => Promise.resolve(""),
  rejectedLine({ number, cells: [text], content }, reason) {
    const fields = "entry" in content ? content.entry : { text };
    return `${JSON.stringify({ line: number, reason, ...fields })}\n`;
  },
};

/** By the end of the file's name. Throws a CommandError for any other. */
export function formatOf(file: string): FileFormat {
  if (/\.csv$/i.test(file)) return csv;
  if (/\.(ndjson|jsonl)$/i.test(file)) return ndjson;
  throw new CommandError(`${file}: expected a file that ends in .csv, .ndjson or .jsonl`, exitCodes.usage);
}
