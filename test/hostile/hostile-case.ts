import type { StoredContent } from "./stored-content.ts";

/** What one response must be. */
export interface ExpectedAnswer {
  readonly status: number | readonly number[];
  /** An error: the key and a pattern of its sentence. Else the whole body, or a pattern of it. Absent: any. */
  readonly error?: { readonly key: "message" | "msg"; readonly says: RegExp };
  readonly body?: string | RegExp;
  readonly headers?: Readonly<Record<string, RegExp>>;
  /** Default GET; HEAD says that no body follows. */
  readonly method?: "HEAD";
}

/** One connection: what is sent byte for byte, and what must come back. */
export interface HostileCase {
  readonly name: string;
  /** One write, or several. `n` is a number that no other case uses. */
  readonly send: (n: number) => Buffer | readonly Buffer[];
  /** Each write waits for the response to the one before. Pipelined requests may be served in any order. */
  readonly inTurn?: true;
  /** Ends its sending side after the last byte. */
  readonly halfCloses?: true;
  /** All responses of the connection, in order. After the last a connection without `Connection: close` must serve one more request. */
  readonly expect: readonly ExpectedAnswer[];
  /** All events of the case, in the order of their acknowledgements. Absent: none. */
  readonly stores?: (n: number) => readonly StoredContent[];
}

/** A request that is refused with a sentence. */
export const refused = (status: number | readonly number[], says: RegExp): ExpectedAnswer => ({
  status,
  error: { key: "message", says },
});

/** The same below /albums and /review. */
export const refusedMsg = (status: number | readonly number[], says: RegExp): ExpectedAnswer => ({
  status,
  error: { key: "msg", says },
});

export const answered = (status: number, body?: string | RegExp): ExpectedAnswer => ({
  status,
  ...(body === undefined ? {} : { body }),
});

/** A 201 without a body. */
export const created: ExpectedAnswer = { status: 201, body: "" };

/** Head lines and a body as they are; latin1, so that every byte can be written. */
export function raw(head: readonly string[], body: string | Buffer = ""): Buffer {
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), Buffer.from(body)]);
}

export const json = "Content-Type: application/json";

/** A POST with its length. */
export function post(path: string, body: string | Buffer, headers: readonly string[] = [json]): Buffer {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return raw([`POST ${path} HTTP/1.1`, "Host: tally", ...headers, length], body);
}

export const get = (path: string, headers: readonly string[] = []): Buffer =>
  raw([`GET ${path} HTTP/1.1`, "Host: tally", ...headers]);

/** A POST whose body goes as the given chunks. */
export function chunked(path: string, chunks: readonly string[], headers: readonly string[] = [json]): Buffer {
  const sizes = chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`);
  return raw(
    [`POST ${path} HTTP/1.1`, "Host: tally", ...headers, "Transfer-Encoding: chunked"],
    `${sizes.join("")}0\r\n\r\n`,
  );
}
