import { showValue } from "./show-value.ts";

/** A client's mistake that a schema cannot say (the 30th of February). Becomes a 400 that names the field. */
export class InvalidInput extends Error {
  readonly code = "INVALID_INPUT";
  readonly field: string;

  constructor(field: string, expected: string, got: unknown) {
    super(`${field}: expected ${expected}, got ${showValue(got)}`);
    this.field = field;
  }
}
