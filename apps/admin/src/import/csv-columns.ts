import type { CellForm, Domain, EntryFields } from "@tally/contract";
import type { TSchema } from "typebox";
import { usageError } from "../command-error.ts";
import { bulkRouteOf, cellValue, fieldsOf, ingestRoutesOf, keyColumn, problemOf } from "../entries/entry-fields.ts";

/** Reads the cells of a record. */
interface Columns {
  readonly count: number;
  /** The cells without those of an earlier file of rejected lines. */
  ownCells(cells: readonly string[]): readonly string[];
  /** The fields of a record's event; an empty cell is an absent field. Throws InvalidInput. */
  entryOf(cells: readonly string[]): EntryFields;
}

/** The columns of a file of rejected lines, which may be corrected and imported. */
export const rejectedColumns = ["line", "reason"] as const;
/** Whether a column is one that a file of rejected lines has more than the file itself. */
export function isOfRejection(name: string | undefined): boolean {
  return rejectedColumns.some((one) => one === name?.trim());
}

/**
 * Checks a header against the fields of the domain. Throws a CommandError that names the wrong or the missing column.
 */
export function csvColumns(file: string, header: readonly string[], domain: Domain): Columns {
  const names = header.map((name) => name.trim());
  const wrong = (problem: string) => usageError(`${file}, line 1: ${problem}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrong(`column ${twice}: expected once, got twice`);

  const cells = Object.entries(domain.files?.cells ?? {});
  const split = cells.filter(([, { columns }]) => columns?.names.every((name) => names.includes(name)) === true);
  const isPart = (name: string): boolean => split.some(([, { columns }]) => columns?.names.includes(name) === true);
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
  const places = form.columns?.names.map((column) => names.indexOf(column)) ?? [];
  return (record) => [name, form.read(form.columns?.cellOf(places.map((at) => record[at] ?? "")) ?? "")];
}

function routesOf(domain: Domain) {
  const bulk = bulkRouteOf(domain);
  return bulk === undefined ? ingestRoutesOf(domain) : [bulk];
}
