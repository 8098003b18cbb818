/** A request that speaks of something that there is not. Becomes a 404 that names the field. */
export class NotFound extends Error {
  readonly code = "NOT_FOUND";

  constructor(field: string, expected: string, got: unknown) {
    super(`${field}: expected ${expected}, got ${JSON.stringify(got) ?? "nothing"}`);
  }
}
