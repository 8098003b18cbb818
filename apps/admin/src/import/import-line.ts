import type { EntryFields } from "@tally/contract";

/** One line of a file, or one record of a CSV. */
export interface ImportLine {
  /** From 1; of a record over several lines, its last. */
  readonly number: number;
  /** As it is in the file: the cells of a CSV, else the whole line. */
  readonly cells: readonly string[];
  /** Its event, or why it holds none. */
  readonly content: { readonly entry: EntryFields } | { readonly problem: string };
}

/** What became of a line. */
export type Outcome = { readonly id: string } | { readonly rejected: string };
