import type { StoredContent } from "./stored-content.ts";

/** What one response must be. */
export interface ExpectedResponse {
  readonly status: number | readonly number[];
  /** An error: the field that holds it, and a pattern of its text. No other field may be there. */
  readonly error?: { readonly key: "message" | "msg"; readonly text: RegExp };
  /** The whole body, or a pattern of it. */
  readonly body?: string | RegExp;
  readonly headers?: Readonly<Record<string, RegExp>>;
  /** HEAD: no body follows. */
  readonly method?: "HEAD";
}

/** A GET and its response body: a text, what the JSON must equal (may hold matchers of vitest), or a check of it. */
export type Read = readonly [path: string, body: unknown];

/** One connection: what is sent byte for byte, and what must come back. */
export interface HttpCase {
  readonly name: string;
  /** One write; or several, each of which waits for the response to the one before. `n` is a number that no other case uses. */
  readonly send: (n: number) => Buffer | readonly Buffer[];
  /**
   * All responses of the connection, in order. After the last one a connection without `Connection: close` must serve one more request.
   */
  readonly expect: readonly ExpectedResponse[];
  /** All events of the case, in the order of their acknowledgements. Absent: none. */
  readonly stores?: (n: number) => readonly StoredContent[];
  /** What can be read when the events are stored and ranked. */
  readonly reads?: (n: number) => readonly Read[];
  /** The writes do not wait for responses. */
  readonly inPieces?: true;
  /** Ends its sending side after the last byte. */
  readonly halfCloses?: true;
}

/** The rarer parts of a case. */
export type Rare = Pick<HttpCase, "reads" | "inPieces" | "halfCloses">;

/** Builds a case that stores nothing. */
export const asks = (
  name: string,
  send: HttpCase["send"],
  expect: ExpectedResponse | readonly ExpectedResponse[],
  rare: Rare = {},
): HttpCase => ({ name, send, expect: [expect].flat(), ...rare });

/** Builds a case whose requests store events. */
export const stores = (
  name: string,
  send: HttpCase["send"],
  expect: ExpectedResponse | readonly ExpectedResponse[],
  stored: (n: number) => StoredContent | readonly StoredContent[],
  rare: Rare = {},
): HttpCase => ({ ...asks(name, send, expect, rare), stores: (n) => [stored(n)].flat() });

const refusedAs =
  (key: "message" | "msg") =>
  (status: number | readonly number[], text: RegExp): ExpectedResponse => ({ status, error: { key, text } });

/** A rejection with an explanation. */
export const refused = refusedAs("message");

/** The same below /albums and /review. */
export const refusedMsg = refusedAs("msg");

export const ok = (status: number | readonly number[], body?: string | RegExp): ExpectedResponse => ({
  status,
  ...(body === undefined ? {} : { body }),
});

/** A 201 without a body. */
export const created = ok(201, "");
export const live = ok(200, '{"status":"ok"}');
/** A request whose framing is unusual, and clear. */
export const unsupported = refused(400, /^(request|body|headers?|[A-Z][A-Za-z-]+): expected /);
/** A request whose end is unknown: the connection closes. */
export const malformed: ExpectedResponse = { ...unsupported, headers: { connection: /^close$/ } };
export const noSuchPath = refused(404, /^no such path/);

/** Any number of requests, each sent after the response to the one before. */
export const inTurn = (...requests: readonly Buffer[]): readonly Buffer[] => requests;

/** Head lines and a body as they are; latin1, so that every byte can be written. */
export function raw(head: readonly string[], body: string | Buffer = ""): Buffer {
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), Buffer.from(body)]);
}

export const json = "Content-Type: application/json";
export const ndjson = "Content-Type: application/x-ndjson";
export const keyed = (key: string): readonly string[] => [json, `Idempotency-Key: ${key}`];

/** A POST with its length. */
export function post(path: string, body: string | Buffer = "", headers: readonly string[] = [json]): Buffer {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return raw([`POST ${path} HTTP/1.1`, "Host: tally", ...headers, length], body);
}

export const get = (path: string, headers: readonly string[] = []): Buffer =>
  raw([`GET ${path} HTTP/1.1`, "Host: tally", ...headers]);

/** A POST whose body travels in the given chunks. */
export function chunked(
  path: string,
  chunks: readonly (string | Buffer)[],
  headers: readonly string[] = [json],
): Buffer {
  const parts = chunks.flatMap((chunk) => [
    Buffer.from(`${Buffer.byteLength(chunk).toString(16)}\r\n`),
    Buffer.from(chunk),
    Buffer.from("\r\n"),
  ]);
  const head = [`POST ${path} HTTP/1.1`, "Host: tally", ...headers, "Transfer-Encoding: chunked"];
  return raw(head, Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]));
}
