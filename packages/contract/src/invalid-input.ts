import { showValue, type Problem } from "./first-problem.ts";

/** A client's mistake in one field, such as the 30th of February. The gateway responds with 400 and this message. */
export class InvalidInput extends Error {
  readonly code = "INVALID_INPUT";

  constructor(field: string, expected: string, got: unknown) {
    super(`${field}: expected ${expected}, got ${showValue(got)}`);
  }

  /** For a value that breaks its schema. */
  static of({ field, expected, message }: Problem): InvalidInput {
    return Object.assign(new InvalidInput(field, expected, undefined), { message });
  }
}

/** A request that names something that does not exist. The gateway responds with 404 and this message. */
export class NotFound extends Error {
  readonly code = "NOT_FOUND";

  constructor(field: string, expected: string, got: string) {
    super(`${field}: expected ${expected}, got ${showValue(got)}`);
  }
}
