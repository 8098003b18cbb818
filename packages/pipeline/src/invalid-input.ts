/** A client's mistake that a schema cannot say (the 30th of February). Becomes a 400 that names the field. */
export class InvalidInput extends Error {
  readonly code = "INVALID_INPUT";
  readonly field: string;

  constructor(field: string, expected: string, got: unknown) {
    super(`${field}: expected ${expected}, got ${JSON.stringify(got) ?? "nothing"}`);
    this.field = field;
  }
}
