import { expect, vi } from "vitest";
import { objectOf, RawConnection, type HttpResponse } from "./raw-connection.ts";
import { get } from "./requests.ts";
import { idsOf, type Acknowledgements, type StoredContent } from "./stored.ts";

/* The engine of the contract's and the hostile cases: what is sent on one connection, and what must come back. */

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

/** What one connection sends byte for byte. `n` is a number that no other case uses. */
type Send = (n: number) => Buffer | readonly Buffer[];
type Expected = ExpectedResponse | readonly ExpectedResponse[];

/** The rarer parts of a case. */
interface Rare {
  /** What can be read when the events are stored and ranked. */
  readonly reads?: (n: number) => readonly Read[];
  /** The writes do not wait for responses. */
  readonly inPieces?: true;
  /** Ends its sending side after the last byte. */
  readonly halfCloses?: true;
}

/** One connection. After the last response a connection without `Connection: close` must serve one more request. */
export interface HttpCase extends Rare {
  readonly name: string;
  /** One write; or several, each of which waits for the response to the one before. */
  readonly send: Send;
  /** All responses of the connection, in order. */
  readonly expect: readonly ExpectedResponse[];
  /** All events of the case, in the order of their acknowledgements. */
  readonly stores: (n: number) => readonly StoredContent[];
}

/** The begin of what is sent, for the name of a case. */
export const shown = (text: string | Buffer): string => JSON.stringify(text.toString("latin1").slice(0, 70));

/** A case that stores nothing. */
export const asks = (name: string, send: Send, expected: Expected, rare: Rare = {}): HttpCase =>
  stores(name, send, expected, () => [], rare);

/** A case whose requests store events. `more`: its rarer parts, or only what can be read. */
export const stores = (
  name: string,
  send: Send,
  expected: Expected,
  stored: (n: number) => StoredContent | readonly StoredContent[],
  more: Rare | Rare["reads"] = {},
): HttpCase => {
  const rare = typeof more === "function" ? { reads: more } : more;
  return { name, send, expect: [expected].flat(), stores: (n) => [stored(n)].flat(), ...rare };
};

/** Any number of requests, each sent after the response to the one before. */
export const inTurn = (...requests: readonly Buffer[]): readonly Buffer[] => requests;

export const ok = (status: number | readonly number[], body?: string | RegExp): ExpectedResponse => ({
  status,
  ...(body !== undefined && { body }),
});

const rejectedAs =
  (key: "message" | "msg") =>
  (status: number | readonly number[], text: RegExp): ExpectedResponse => ({ status, error: { key, text } });
/** A rejection with an explanation. */
export const rejected = rejectedAs("message");
/** The same below /albums and /review. */
export const rejectedMsg = rejectedAs("msg");
export const bad = (text: RegExp): ExpectedResponse => rejected(400, text);

/** A 201 without a body. */
export const created = ok(201, "");
export const live = ok(200, '{"status":"ok"}');
export const stepsAccepted = ok(200, "accepted");
export const albumCreated = {
  ...ok(200, /^\{"albumID":"[0-9a-f-]{36}(\.[0-9a-z]+)?","imageSize":"\d+"\}$/),
  headers: { "content-type": /^application\/json; charset=utf-8$/ },
};
/** A response to a bulk request by its counts. */
export const bulkOk = (status: number, accepted: number, refused = 0, more = ""): ExpectedResponse =>
  ok(status, new RegExp(`"accepted":${accepted},"refused":${refused},.*${more}`));
/** A request whose framing is unusual, and clear. */
export const unsupported = bad(/^(request|body|headers?|[A-Z][A-Za-z-]+): expected /);
/** The connection closes. */
export const closing = (response: ExpectedResponse): ExpectedResponse => {
  return { ...response, headers: { connection: /^close$/ } };
};
/** A request whose end is unknown. */
export const malformed = closing(unsupported);
export const noSuchPath = rejected(404, /^no such path/);

/** Waits until each GET returns its body. */
export async function expectReads(url: string, reads: readonly Read[]): Promise<void> {
  for (const [path, expected] of reads) {
    let last = "";
    const read = async (): Promise<void> => {
      const response = await fetch(url + path);
      last = await response.text();
      expect(response.status).toBe(200);
      const body: unknown = typeof expected === "string" ? last : JSON.parse(last);
      if (typeof expected === "function") expected(body);
      else expect(body).toEqual(expected);
    };
    await vi.waitFor(read, { timeout: 60_000, interval: 100 }).catch((error: unknown) => {
      throw new Error(`GET ${path}: expected ${JSON.stringify(expected)}, got ${last}`, { cause: error });
    });
  }
}

/** Runs one case on a new connection. Returns every difference from what is expected, one text for each, and adds the
 * acknowledged events to `acknowledgements`. `onResponse` gets the response of a case with one request. */
export async function runCase(
  url: string,
  one: HttpCase,
  n: number,
  acknowledgements: Acknowledgements,
  onResponse: (request: Buffer, response: HttpResponse) => void,
): Promise<readonly string[]> {
  const connection = new RawConnection(url);
  try {
    const sent = [one.send(n)].flat();
    const responses = await responsesTo(connection, one, sent);
    const [request, ...laterRequests] = sent;
    const [only, ...laterResponses] = responses;
    if (laterRequests.length + laterResponses.length === 0 && request && only) onResponse(request, only);
    const contents = one.stores(n);
    const ids = responses.flatMap(idsOf);
    for (const [index, { id }] of ids.entries()) acknowledgements.add({ id, by: one.name, content: contents[index] });
    const found = [
      ...responses.flatMap((response, index) => differencesOf(response, one.expect[index])),
      ...(ids.length === contents.length ? [] : [`${ids.length} of ${contents.length} events are acknowledged`]),
      ...(responses.length < one.expect.length
        ? [`${responses.length} of ${one.expect.length} responses came`]
        : await differencesAtEnd(connection, one, responses.at(-1), asksToClose(Buffer.concat(sent)))),
    ];
    if (found.length === 0 && one.reads !== undefined) await expectReads(url, one.reads(n));
    return found.map((difference) => `${one.name}: ${difference}`);
  } catch (error) {
    return [`${one.name}: ${String(error)}`];
  } finally {
    connection.destroy();
  }
}

async function responsesTo(connection: RawConnection, one: HttpCase, sent: readonly Buffer[]) {
  const responses: HttpResponse[] = [];
  for (const part of sent) {
    await connection.write(part);
    if (sent.length > 1 && one.inPieces !== true) responses.push(...(await connection.responses(1)));
  }
  if (one.halfCloses === true) connection.endSending();
  const early = responses.length;
  const methodOf = (nth: number): string => one.expect[early + nth]?.method ?? "GET";
  return [...responses, ...(await connection.responses(one.expect.length - early, methodOf))];
}

/** What is wrong with an error response of any kind: a 5xx, a body without an explanation, or one that shows the code.
 */
function errorFaults(response: HttpResponse): readonly string[] {
  const { status, body } = response;
  if (status < 400) return [];
  const fields = objectOf(response);
  const text = fields?.["message"] ?? fields?.["msg"];
  const isExplained = Array.isArray(fields?.["results"]) || (typeof text === "string" && text.length >= 10);
  const type = response.headers.get("content-type");
  return [
    ...(status >= 500 ? [`status ${status}: ${body.slice(0, 200)}`] : []),
    ...(isExplained ? [] : [`an error ${status} without an explanation: ${JSON.stringify(body.slice(0, 100))}`]),
    ...(/\n\s+at |node_modules|\.[jt]s:\d+/.test(String(text)) ? [`a stack trace: ${body.slice(0, 200)}`] : []),
    ...(type === "application/json; charset=utf-8" ? [] : [`an error of type ${type ?? "none"}`]),
  ];
}

function differencesOf(response: HttpResponse, expected: ExpectedResponse | undefined): readonly string[] {
  if (expected === undefined) return [`an unexpected response: ${summary(response)}`];
  const statuses: readonly number[] = [expected.status].flat();
  if (!statuses.includes(response.status))
    return [`expected status ${statuses.join(" or ")}, got ${summary(response)}`];
  return [
    ...(expected.method === "HEAD" ? [] : [...errorFaults(response), ...bodyDifferences(response, expected)]),
    ...Object.entries(expected.headers ?? {})
      .map(([name, pattern]) => ({ name, pattern, value: response.headers.get(name) ?? "none" }))
      .filter(({ pattern, value }) => !pattern.test(value))
      .map(({ name, pattern, value }) => `expected ${name} like ${String(pattern)}, got ${value}`),
  ];
}

function bodyDifferences(response: HttpResponse, { error, body }: ExpectedResponse): readonly string[] {
  const wanted = error?.text ?? body;
  if (wanted === undefined) return [];
  const fields = objectOf(response);
  const got = error === undefined ? response.body : fields?.[error.key];
  const isOnly = error === undefined || Object.keys(fields ?? {}).length === 1;
  const fits = typeof got === "string" && (typeof wanted === "string" ? got === wanted : wanted.test(got));
  return fits && isOnly ? [] : [`expected a body like ${String(wanted)}, got ${summary(response)}`];
}

// After these a connection stays open: the request was read to its end.
const statusesThatKeep = new Set([200, 201, 207, 401, 403, 404, 405, 409, 415, 422, 429]);

/** Whether a request asks for a close, a tunnel or another protocol, or speaks an older version. */
const asksToClose = (sent: Buffer): boolean =>
  /^connection: close|connect \S+ http|^upgrade: |http\/1\.0\r?$|^[a-z]+ \S+\r?$/im.test(sent.toString("latin1"));

/** A connection that says "close" must close, any other must serve one more request; no response may follow on either.
 */
async function differencesAtEnd(
  connection: RawConnection,
  { halfCloses }: HttpCase,
  last: HttpResponse | undefined,
  isAskedToClose: boolean,
): Promise<readonly string[]> {
  const closes = halfCloses === true || last?.headers.get("connection") === "close";
  if (closes && halfCloses !== true && !isAskedToClose && statusesThatKeep.has(last?.status ?? 0))
    return [`the gateway closes the connection after a ${last?.status}`];
  if (!closes) {
    await connection.write(get("/health/live", ["Connection: close"]));
    const [response] = await connection.responses(1);
    const came = response === undefined ? "closed" : summary(response);
    if (response?.status !== 200) return [`the connection does not serve another request: ${came}`];
  }
  const rest = await connection.untilClosed();
  return rest.length === 0
    ? []
    : [`bytes behind the last response: ${JSON.stringify(rest.toString("latin1", 0, 200))}`];
}

const summary = ({ status, body }: HttpResponse): string => `${status} ${JSON.stringify(body.slice(0, 200))}`;
