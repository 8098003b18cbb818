/** A name in braces stands for a value. Without `retryAfterSeconds`, sending the request again seldom helps. */
type Entry = readonly [status: number, message: string, retryAfterSeconds?: number];

/** Every error that a client can get. /openapi.json lists them. Only here are statuses and texts of errors chosen. */
export const catalogue = {
  // The head of a request, before a route is known.
  MALFORMED_REQUEST: [400, "request: expected HTTP/1.1"],
  REQUEST_TIMEOUT: [408, "request: expected to arrive completely within the time limit"],
  HOST_MISSING: [400, "Host: expected the header, which HTTP/1.1 requires"],
  HEADER_REPEATED: [400, "{header}: expected one such header, got several"],
  TRANSFER_ENCODING: [400, "Transfer-Encoding: expected chunked, got {got}"],
  EXPECTATION: [417, "Expect: expected 100-continue, got {got}"],
  TOO_MANY_HEADERS: [431, "headers: expected at most {max}"],
  HEADERS_TOO_LARGE: [431, "headers: expected at most {max} bytes together"],
  CONNECT: [405, "CONNECT: this is no proxy; expected GET, HEAD, POST or PUT with a path"],

  // The path.
  PATH_NOT_FOUND: [404, "no such path: {method} {path}"],
  METHOD_NOT_ALLOWED: [405, "method: expected {allowed}, got {method}"],
  PATH_ENCODING: [400, "path: expected valid percent-encoding"],
  PATH_TOO_LONG: [414, "path: expected values of at most {max} characters"],

  // Other mistakes that Fastify finds, such as a QUERY without a Content-Type.
  BAD_REQUEST: [400, "request: {problem}"],

  // A browser sent it, where no API key is required.
  FOREIGN_PAGE: [403, "expected no request of another site's page, got one of {page}; send it without a browser"],

  // The API key and its rate limit.
  API_KEY_MISSING: [401, "expected an API key, as Authorization: Bearer or as X-Api-Key"],
  API_KEY_INVALID: [401, "expected a valid API key, got an unknown, revoked or malformed key, or two keys"],
  API_KEY_UNCHECKED: [503, "not taken: this API key cannot be checked at the moment; send it again later", 2],
  SCOPE_MISSING: [403, "expected an API key with the scope {scope}"],
  STORE_FORBIDDEN: [403, "expected an API key for store {store}, got one for others"],
  STORE_LIMITED: [403, "expected an API key for all stores, got one that is limited to some"],
  RATE_LIMITED: [429, "too many requests: expected at most {perSecond} events/s; send it again later", 1],
  RATE_LIMIT_UNCHECKED: [503, "not taken: the rate limit cannot be checked at the moment; send it again later", 1],
  BURST_EXCEEDED: [413, "body: expected at most {burst} entries, the burst of the rate limit, got {entries}"],

  // The body.
  UNSUPPORTED_CONTENT: [415, "{header}: expected {expected}, got {got}"],
  CONTENT_TYPE: [415, "Content-Type: expected the type of a body, as application/json"],
  BODY_TOO_LARGE: [413, "body: too large"],
  PART_TOO_LARGE: [413, "{part}: expected at most {max} bytes"],
  CHUNK_EXTENSIONS_TOO_LARGE: [413, "body: expected chunk extensions of at most 16384 bytes together"],
  BODY_CUT_SHORT: [400, "body: the client ended it early"],
  BODIES_FULL: [503, "not taken: too many large bodies are under way; send it again later", 1],

  // The values of a request.
  INVALID_INPUT: [400, "{field}: expected {expected}, got {got}"],
  NOT_FOUND: [404, "{field}: expected {expected}, got {got}"],
  IDEMPOTENCY_KEY_REUSED: [
    422,
    "{field}: expected the content that this key was first sent with, got other content; use a new key for it",
  ],

  // Publishing.
  BUSY: [503, "not taken: too many events are waiting; send it again later", 1],
  BROKER_UNAVAILABLE: [503, "not taken: the message broker is not available at the moment; send it again later", 2],
  NOT_CONFIRMED: [
    503,
    "not confirmed in time: it may be stored or not; send it again with the same Idempotency-Key",
    2,
  ],

  // Reading.
  NOT_YET: [503, "cannot be read yet: it was accepted a moment ago; try again later", 1],
  READS_FULL: [503, "too many reads are waiting; try again later", 1],
  UNREADABLE: [503, "the database or the rankings are unavailable or too slow; try again later", 2],
  STREAMS_FULL: [503, "too many live streams are open; try again later", 5],
  STREAMS_OF_ADDRESS_FULL: [
    429,
    "too many live streams of this address: expected at most {max}; close one, or try again later",
    5,
  ],
  WATCH_TOO_LARGE: [413, "watch: expected a response of at most {max} characters; ask for fewer entries"],
  RESPONSES_FULL: [503, "not done: too many large responses are under way; try again later", 1],

  // Operation.
  STOPPING: [503, "this gateway is stopping; send requests to another one", 1],
  PAGE_NOT_BUILT: [404, "the page is not built: run pnpm build, then start the gateway again"],
  DEAD_LETTERS_READ_ONLY: [
    403,
    "this gateway changes no dead letters: set OPERATOR_DATABASE_URL, or use pnpm tally dead-letters",
  ],
  CONFIGURATION_READ_ONLY: [403, "this gateway changes no configuration: set OPERATOR_DATABASE_URL"],

  INTERNAL: [500, "internal error; report it with the request id {requestId}"],
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof catalogue;

export const codesOfCatalogue = Object.keys(catalogue).filter((code): code is ErrorCode => code in catalogue);

/** An error as it is sent to a client. */
export interface Rejection {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
}

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type NamesOf<Code extends ErrorCode> = NamesIn<(typeof catalogue)[Code][1]>;

/** The values that the message of an error needs; none, where it has no names. */
export type ValuesOf<Code extends ErrorCode> = [NamesOf<Code>] extends [never]
  ? []
  : [values: Readonly<Record<NamesOf<Code>, string | number>>];

/** The rejection with this code. */
export function rejection<Code extends ErrorCode>(code: Code, ...[values]: ValuesOf<Code>): Rejection {
  const [, message]: Entry = catalogue[code];
  if (values === undefined) return rejectionWith(code, message);
  return rejectionWith(
    code,
    message.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(Reflect.get(values, name))),
  );
}

/** The rejection with this code, and a message that was composed elsewhere in the form of the catalogue's. */
export function rejectionWith(code: ErrorCode, message: string): Rejection {
  const [status, , retryAfterSeconds]: Entry = catalogue[code];
  return { code, status, message, retryAfterSeconds };
}
