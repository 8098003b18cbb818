import type { Event } from "./encoded-event.ts";
import type { SqlParameter } from "./sql.ts";

/** The fields of a POST of its domain, those of the path and those of the body together. */
export type EntryFields = Readonly<Record<string, unknown>>;

/** For `tally export`, `tally import` and `tally retention`. */
export interface EventFiles<E extends Event = Event> {
  readonly rows: EventRows<E>;
  /** In the order of a CSV's columns, each with its value as a client sends it; null or undefined: absent. A POST of
   * the domain makes the same event of them. */
  readonly fields: Readonly<Record<string, (event: E) => unknown>>;
  /** The columns of ORDER BY. Lines are imported in their order where the order of events matters. */
  readonly order: string;
  /** What `--store` and `--date` select; absent: rows have no such thing. */
  readonly filters: { readonly store?: RowFilter; readonly date?: RowFilter };
  /** A POST may lack them, a CSV may not: a whole column is more likely forgotten than absent. */
  readonly requiredColumns?: readonly string[];
  /** They are no events: a line has no key, and may be sent again with other values. */
  readonly isConfiguration?: true;
  /** Fields with an own form in a CSV cell. Other cells are text as it is. */
  readonly cells?: Readonly<Record<string, CellForm>>;
}

export interface EventRows<E extends Event = Event> {
  readonly table: string;
  readonly columns: readonly string[];
  /** A SELECT of all rows of a table with these columns, without WHERE. */
  readonly selectFrom: (table: string) => string;
  readonly eventOf: (columns: readonly unknown[]) => E;
}

type Fields<E extends Event> = Readonly<Record<string, (event: E) => unknown>>;

type Absent = null | undefined;
type OptionalIn<F extends Fields<never>> = {
  [Name in keyof F]: Extract<ReturnType<F[Name]>, Absent> extends never ? never : Name;
}[keyof F];

/** The values of an event's exported fields, without those that are absent. */
type ValuesOf<F extends Fields<never>> = {
  readonly [Name in Exclude<keyof F, OptionalIn<F>>]: ReturnType<F[Name]>;
} & { readonly [Name in OptionalIn<F>]?: Exclude<ReturnType<F[Name]>, Absent> };

export function fieldsOfEvent<E extends Event, F extends Fields<E>>(fields: F, event: E): ValuesOf<F> {
  const values = Object.entries(fields).map(([name, valueOf]) => [name, valueOf(event)] as const);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(values.filter(([, value]) => value !== null && value !== undefined)) as ValuesOf<F>;
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
  /** Columns that a CSV may have instead, `optional` ones beside them; `cellOf` makes one cell of theirs. */
  readonly columns?: {
    readonly names: readonly string[];
    readonly optional?: readonly string[];
    readonly cellOf: (cells: readonly string[]) => string;
  };
}
