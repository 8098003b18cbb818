import type { SqlParameter } from "./sql.ts";

/** An event as its client sends it: the fields of a POST of its domain, those of the path and those of the body together. */
export type EntryFields = Readonly<Record<string, unknown>>;

/** How the events of a domain are written to files and read from them: `tally export` and `tally import`. */
export interface EventFiles {
  /** The fields of an exported event, in the order of the columns of `select` and of a CSV. A POST of the domain accepts them. */
  readonly fields: readonly string[];
  /** A literal SELECT of the event's id and its fields, all rows, without WHERE. */
  readonly select: string;
  /** The columns of ORDER BY. Lines are imported in their order where the order of events matters. */
  readonly order: string;
  /** Values of fields that are no plain columns. */
  readonly columnValues?: Readonly<Record<string, (column: unknown) => unknown>>;
  /** What `--store` and `--date` select; absent: rows have no such thing. */
  readonly filters: { readonly store?: RowFilter; readonly date?: RowFilter };
  /** Fields that a POST may lack, but a CSV must have a column for: a whole column is more likely forgotten than absent. */
  readonly requiredColumns?: readonly string[];
  /** Fields with an own form in a CSV cell. Other cells are text as it is. */
  readonly cells?: Readonly<Record<string, CellForm>>;
}

export interface RowFilter {
  /** A condition with one `?`. */
  readonly where: string;
  /** The value of a flag. Throws InvalidInput. */
  readonly parse: (text: string) => SqlParameter;
}

/** A list or an object in one CSV cell, or in several. */
export interface CellForm {
  /** Throws InvalidInput. */
  readonly read: (cell: string) => unknown;
  readonly write: (value: unknown) => string;
  /** Columns that a CSV may have instead; `read` makes one cell of theirs. */
  readonly columns?: { readonly names: readonly string[]; readonly cellOf: (cells: readonly string[]) => string };
}
