import { Readable, pipeline } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { stringify } from "csv-stringify/sync";
import { InvalidInput, type Domain, type EntryFields, type CellForm } from "@tally/contract";
import { usageError } from "../command.ts";
import { parseEntry, cellValue, fieldsOf, routesOf, keyColumn, problemOf } from "../entries/entry-fields.ts";
import type { TSchema } from "typebox";

/** One line of a file, or one record of a CSV. */
export interface ImportLine {
  /** From 1; of a record over several lines, its last. */
  readonly number: number;
  /** As it is in the file: the cells of a CSV, else the whole line. */
  readonly cells: readonly string[];
  /** Its event, or why it holds none. */
  readonly content: { readonly entry: EntryFields } | { readonly problem: string };
}

interface LinesOptions {
  readonly file: string;
  readonly chunks: AsyncIterable<Buffer>;
  readonly domain: Domain;
  /** Is called with the first line of the file of rejected lines, where it has one. */
  readonly onHead?: (head: string) => void;
}

/** How the lines of a file are read, and how its rejected lines are written. */
export interface FileFormat {
  readonly extension: ".csv" | ".ndjson";
  lines(options: LinesOptions): AsyncIterable<ImportLine>;
  rejectedLine(line: ImportLine, problem: string): string;
}

const csv: FileFormat = {
  extension: ".csv",
  lines: csvLines,
  rejectedLine: ({ number, cells }, problem) => stringify([[number, problem, ...cells]]),
};

const ndjson: FileFormat = {
  extension: ".ndjson",
  lines: ndjsonLines,
  rejectedLine({ number, cells: [text], content }, problem) {
    const fields = "entry" in content ? content.entry : { text };
    return `${JSON.stringify({ line: number, problem, ...fields })}\n`;
  },
};

/** By the end of the file's name. Throws a CommandError for any other. */
export function formatOf(file: string): FileFormat {
  if (/\.csv$/i.test(file)) return csv;
  if (/\.(ndjson|jsonl)$/i.test(file)) return ndjson;
  throw usageError(`${file}: expected a file that ends in .csv, .ndjson or .jsonl`);
}

/** The records of a CSV after its header. Throws a CommandError for a wrong header and for a file that is no CSV. */
async function* csvLines({ file, chunks, domain, onHead }: LinesOptions): AsyncGenerator<ImportLine> {
  let columns: ReturnType<typeof csvColumns> | undefined;
  for await (const { record, info } of recordsOf(file, chunks)) {
    if (columns === undefined) {
      columns = csvColumns(file, record, domain);
      onHead?.(stringify([[...rejectedColumns, ...record.filter((name) => !isOfRejection(name))]]));
    } else yield { number: info.lines, cells: columns.ownCells(record), content: contentOfCells(columns, record) };
  }
  if (columns === undefined) throw usageError(`${file}: expected a header line, got an empty file`);
}

function contentOfCells(columns: Columns, cells: readonly string[]): ImportLine["content"] {
  if (cells.length !== columns.count) return { problem: `expected ${columns.count} columns, got ${cells.length}` };
  return contentOf(() => columns.entryOf(cells));
}

function contentOf(read: () => EntryFields | undefined): ImportLine["content"] {
  try {
    const entry = read();
    return entry === undefined ? { problem: "expected a JSON object with the fields of an event" } : { entry };
  } catch (error) {
    if (error instanceof InvalidInput) return { problem: error.message };
    throw error;
  }
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

async function* recordsOf(file: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord> {
  const parser = parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true });
  // An error of the file, or an early end of this loop, destroys both streams, and the loop throws the error.
  pipeline(Readable.from(chunks, { objectMode: false }), parser, () => undefined);
  try {
    yield* parser;
  } catch (error) {
    if (error instanceof CsvError) throw usageError(`${file}: ${error.message}`);
    throw error;
  }
}

/** The lines of a file with one JSON object a line. Empty lines are skipped. Holds the longest line in memory. */
async function* ndjsonLines({ chunks }: LinesOptions): AsyncGenerator<ImportLine> {
  let number = 0;
  for await (const line of linesOf(chunks)) {
    number++;
    const text = line.trim();
    if (text === "") continue;
    yield { number, cells: [text], content: contentOf(() => withoutRejection(parseEntry(text))) };
  }
}

/** A line of a file of rejected lines may be corrected and imported. */
function withoutRejection(entry: EntryFields | undefined): EntryFields | undefined {
  if (entry === undefined || !("problem" in entry)) return entry;
  const { line: _line, problem: _problem, ...fields } = entry;
  return fields;
}

/** Not readline: it also ends a line at U+2028, which a JSON text may contain. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      yield Buffer.concat([...pieces, chunk.subarray(start, end)]).toString();
      pieces = [];
      start = end + 1;
    }
    pieces.push(chunk.subarray(start));
  }
  yield Buffer.concat(pieces).toString();
}

/** Reads the cells of a record. */
interface Columns {
  readonly count: number;
  /** The cells without those of an earlier file of rejected lines. */
  ownCells(cells: readonly string[]): readonly string[];
  /** The fields of a record's event; an empty cell is an absent field. Throws InvalidInput. */
  entryOf(cells: readonly string[]): EntryFields;
}

/** The columns of a file of rejected lines, which may be corrected and imported. */
const rejectedColumns = ["line", "problem"] as const;
/** Whether a column is one that a file of rejected lines has more than the file itself. */
function isOfRejection(name: string | undefined): boolean {
  return rejectedColumns.some((one) => one === name?.trim());
}

/** Checks a header. Throws a CommandError that names the wrong or the missing column. */
export function csvColumns(file: string, header: readonly string[], domain: Domain): Columns {
  const names = header.map((name) => name.trim());
  const wrong = (problem: string) => usageError(`${file}, line 1: ${problem}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrong(`column ${twice}: expected once, got twice`);

  const cells = Object.entries(domain.files?.cells ?? {});
  const split = cells.filter(([, { columns }]) => columns?.names.every((name) => names.includes(name)) === true);
  const isPart = (name: string): boolean => split.some(([, form]) => partsOf(form).includes(name));
  const isOwn = (name: string): boolean => name !== keyColumn && !isOfRejection(name) && !isPart(name);
  const fields = [...names.filter(isOwn), ...split.map(([name]) => name)];
  const problems = routesOf(domain).map((route) => problemOf(route, fields));
  const [problem] = problems;
  if (problem !== undefined && !problems.includes(undefined)) throw wrong(`column ${problem}`);
  const required = domain.files?.requiredColumns?.find((name) => !fields.includes(name));
  if (required !== undefined) throw wrong(`column ${required}: expected, its cells may be empty`);

  const readers = [
    ...names.flatMap((name, at) => (isOwn(name) || name === keyColumn ? [plainReader(name, at, domain)] : [])),
    ...split.map(([name, form]) => splitReader(name, form, names)),
  ];
  return {
    count: names.length,
    ownCells: (record) => record.filter((_cell, at) => !isOfRejection(names[at])),
    entryOf: (record) =>
      Object.fromEntries(readers.map((read) => read(record)).filter(([, value]) => value !== undefined)),
  };
}

type CellReader = (record: readonly string[]) => readonly [name: string, value: unknown];

function plainReader(name: string, at: number, domain: Domain): CellReader {
  const form = domain.files?.cells?.[name];
  const schemas: Readonly<Record<string, TSchema>> = Object.assign({}, ...routesOf(domain).map(fieldsOf));
  return (record) => {
    const text = record[at] ?? "";
    if (text === "") return [name, undefined];
    return [name, form === undefined ? cellValue(name, schemas[name], text) : form.read(text)];
  };
}

function splitReader(name: string, form: CellForm, names: readonly string[]): CellReader {
  const places = partsOf(form).map((column) => names.indexOf(column));
  return (record) => [name, form.read(form.columns?.cellOf(places.map((at) => record[at] ?? "")) ?? "")];
}

function partsOf({ columns }: CellForm): readonly string[] {
  return columns === undefined ? [] : [...columns.names, ...(columns.optional ?? [])];
}
