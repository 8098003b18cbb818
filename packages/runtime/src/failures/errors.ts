/** One error of a catalogue. */
export interface CatalogueEntry {
  /** Begins the message of each such error. */
  readonly message: string;
  /** When it is thrown, and what the caller can do. */
  readonly when: string;
}

/** The errors of a package by code. docs/errors.md is made of them. */
export type ErrorCatalogue<Code extends string> = Readonly<Record<Code, CatalogueEntry>>;

/** An error of a package's catalogue. Its message is the catalogue's, then the detail. */
export abstract class CataloguedError<Code extends string> extends Error {
  readonly code: Code;

  constructor(catalogue: ErrorCatalogue<Code>, code: Code, detail: string, options?: ErrorOptions) {
    super(detail === "" ? catalogue[code].message : `${catalogue[code].message}: ${detail}`, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** An error's message and those of its causes, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors : [];
  // For a refused connection only the inner errors, one per address, have a message.
  const own = error.message || inner.map(reasonOf).join(", ") || error.name;
  return error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`;
}
