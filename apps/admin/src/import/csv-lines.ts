import { Readable, pipeline } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { InvalidInput, type Domain } from "@tally/contract";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { csvColumns } from "./csv-columns.ts";
import type { ImportLine } from "./import-line.ts";

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** The records of a CSV after its header. Throws a CommandError for a wrong header and for a file that is no CSV. */
export async function* csvLines(
  file: string,
  chunks: AsyncIterable<Buffer>,
  domain: Domain,
): AsyncGenerator<ImportLine> {
  let columns: ReturnType<typeof csvColumns> | undefined;
  for await (const { record, info } of recordsOf(file, chunks)) {
    if (columns === undefined) columns = csvColumns(file, record, domain);
    else yield { number: info.lines, cells: columns.ownCells(record), content: contentOf(columns, record) };
  }
  if (columns === undefined)
    throw new CommandError(`${file}: expected a header line, got an empty file`, exitCodes.usage);
}

/** The header of a CSV, for its file of rejected lines. */
export async function csvHeader(file: string, chunks: AsyncIterable<Buffer>): Promise<readonly string[]> {
  for await (const { record } of recordsOf(file, chunks)) return record;
  return [];
}

function contentOf(columns: ReturnType<typeof csvColumns>, cells: readonly string[]): ImportLine["content"] {
  if (cells.length !== columns.count) return { problem: `expected ${columns.count} columns, got ${cells.length}` };
  try {
    return { entry: columns.entryOf(cells) };
  } catch (error) {
    if (error instanceof InvalidInput) return { problem: error.message };
    throw error;
  }
}

async function* recordsOf(file: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord> {
  const parser = parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true });
  // An error of the file, or an early end of this loop, destroys both streams, and the loop throws the error.
  pipeline(Readable.from(chunks, { objectMode: false }), parser, () => undefined);
  try {
    yield* parser;
  } catch (error) {
    if (error instanceof CsvError) throw new CommandError(`${file}: ${error.message}`, exitCodes.usage);
    throw error;
  }
}
