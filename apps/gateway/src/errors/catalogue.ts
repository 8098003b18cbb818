interface Entry {
  readonly status: number;
  /** What the client reads. A name in braces stands for a value of the request or of a setting. */
  readonly message: string;
  /** Absent: sending the same request again does not help. */
  readonly retryAfterSeconds?: number;
}

/** Every error that a client can get. docs/http.md lists them. Only here are statuses and texts of errors chosen. */
export const catalogue = {
  // The head of a request, before a route is known.
  MALFORMED_REQUEST: { status: 400, message: "request: expected HTTP/1.1" },
  REQUEST_TIMEOUT: { status: 408, message: "request: expected all of it sooner" },
  HOST_MISSING: { status: 400, message: "Host: expected this header in HTTP/1.1" },
  HEADER_REPEATED: { status: 400, message: "{header}: expected one such header, got several" },
  TRANSFER_ENCODING: { status: 400, message: "Transfer-Encoding: expected chunked, got {got}" },
  EXPECTATION: { status: 417, message: "Expect: expected 100-continue, got {got}" },
  TOO_MANY_HEADERS: { status: 431, message: "headers: expected at most {max}" },
  HEADERS_TOO_LARGE: { status: 431, message: "headers: expected at most {max} bytes together" },
  CONNECT: { status: 405, message: "CONNECT: this is no proxy; expected GET, HEAD or POST with a path" },

  // The path.
  PATH_NOT_FOUND: { status: 404, message: "no such path: {method} {path}" },
  METHOD_NOT_ALLOWED: { status: 405, message: "method: expected {allowed}, got {method}" },
  PATH_ENCODING: { status: 400, message: "path: expected valid percent-encoding" },
  PATH_TOO_LONG: { status: 414, message: "path: expected shorter values" },

  // Other mistakes that Fastify finds, such as a QUERY without a Content-Type.
  BAD_REQUEST: { status: 400, message: "request: {problem}" },

  // The API key and its rate limit.
  API_KEY_MISSING: { status: 401, message: "expected an API key, as Authorization: Bearer or as X-Api-Key" },
  API_KEY_INVALID: {
    status: 401,
    message: "expected a valid API key, got one that is unknown, revoked or malformed, or two",
  },
  API_KEY_UNCHECKED: {
    status: 503,
    message: "not taken: this API key cannot be checked at the moment; send it again later",
    retryAfterSeconds: 2,
  },
  SCOPE_MISSING: { status: 403, message: "expected an API key with the scope {scope}" },
  STORE_FORBIDDEN: { status: 403, message: "expected an API key for store {store}, got one for others" },
  STORE_LIMITED: { status: 403, message: "expected an API key for all stores, got one that is limited to some" },
  RATE_LIMITED: {
    status: 429,
    message: "too many requests: expected at most {perSecond} events/s; send it again later",
    // The response says when the next token is due, at least this.
    retryAfterSeconds: 1,
  },
  RATE_LIMIT_UNCHECKED: {
    status: 503,
    message: "not taken: the rate limit cannot be checked at the moment; send it again later",
    retryAfterSeconds: 1,
  },
  BURST_EXCEEDED: {
    status: 413,
    message: "body: expected at most {burst} entries, the burst of the rate limit, got {entries}",
  },

  // The body.
  UNSUPPORTED_CONTENT: { status: 415, message: "{header}: expected {expected}, got {got}" },
  CONTENT_TYPE: { status: 415, message: "Content-Type: expected the type of a body, as application/json" },
  BODY_TOO_LARGE: { status: 413, message: "body: too large" },
  PART_TOO_LARGE: { status: 413, message: "{part}: expected at most {max} bytes" },
  CHUNK_EXTENSIONS_TOO_LARGE: {
    status: 413,
    message: "body: expected chunk extensions of at most 16384 bytes together",
  },
  BODY_CUT_SHORT: { status: 400, message: "body: the client ended it early" },
  BODIES_FULL: {
    status: 503,
    message: "not taken: too many large bodies are under way; send it again later",
    retryAfterSeconds: 1,
  },

  // The values of a request.
  INVALID_INPUT: { status: 400, message: "{field}: expected {expected}, got {got}" },
  NOT_FOUND: { status: 404, message: "{field}: expected {expected}, got {got}" },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: "{field}: expected the content that this key was first sent with, got other content; use a new key for it",
  },

  // Publishing.
  BUSY: {
    status: 503,
    message: "not taken: too many events are waiting; send it again later",
    retryAfterSeconds: 1,
  },
  BROKER_UNAVAILABLE: {
    status: 503,
    message: "not taken: the message broker is not available at the moment; send it again later",
    retryAfterSeconds: 2,
  },
  NOT_CONFIRMED: {
    status: 503,
    message: "not confirmed in time: it may be stored or not; send it again with the same Idempotency-Key",
    retryAfterSeconds: 2,
  },

  // Reading.
  NOT_YET: {
    status: 503,
    message: "cannot be read yet: it was accepted a moment ago; try again later",
    retryAfterSeconds: 1,
  },
  READS_FULL: { status: 503, message: "too many reads are waiting; try again later", retryAfterSeconds: 1 },
  UNREADABLE: { status: 503, message: "cannot be read at the moment; try again later", retryAfterSeconds: 2 },
  RESPONSES_FULL: {
    status: 503,
    message: "not sent: too many large responses are under way; try again later",
    retryAfterSeconds: 1,
  },

  INTERNAL: { status: 500, message: "internal error; report it with the request id {requestId}" },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof catalogue;

/** An error as it is sent to a client. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
}

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type NamesOf<Code extends ErrorCode> = NamesIn<(typeof catalogue)[Code]["message"]>;

/** The values that the message of an error needs; none, where it has no names. */
export type ValuesOf<Code extends ErrorCode> = [NamesOf<Code>] extends [never]
  ? []
  : [values: Readonly<Record<NamesOf<Code>, string | number>>];

/** The refusal with this code. */
export function refusal<Code extends ErrorCode>(code: Code, ...[values]: ValuesOf<Code>): Refusal {
  const { message }: Entry = catalogue[code];
  return refusalWith(code, values === undefined ? message : filled(message, values));
}

/** The refusal with this code, and a message that was composed elsewhere in the form of the catalogue's. */
export function refusalWith(code: ErrorCode, message: string): Refusal {
  const { status, retryAfterSeconds }: Entry = catalogue[code];
  return { code, status, message, retryAfterSeconds };
}

function filled(message: string, values: Readonly<Record<string, string | number>>): string {
  return message.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}
