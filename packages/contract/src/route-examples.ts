/** What the API reference says about a route (CommonMark). */
export interface Described {
  /** A few words, without a full stop. */
  readonly summary: string;
  /** Further sentences. */
  readonly description?: string;
}

/**
 * Example requests of a route, by what they show. The API reference has them, and a test sends them to a running system: first the events of
 * all domains, in the order of the domains and of their routes, then the reads. A response is compared with the one written here, except
 * times and the ends of ids that contain one.
 */
export type Examples<Example> = Readonly<Record<string, Example>>;

/** Request parts that are absent have no values. A key makes the example's event id the same in every system. */
export interface EventExample<Params, Body> {
  readonly params?: Params;
  readonly body?: Body;
  readonly idempotencyKey?: string;
}

export interface FormExample<Params, Response> {
  readonly params?: Params;
  /** An object is sent as JSON, a text as its bytes in UTF-8. */
  readonly form: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
  readonly response: Response;
}

export interface QueryExample<Params, Values, Response> {
  readonly params?: Params;
  readonly query?: Values;
  readonly response: Response;
}
