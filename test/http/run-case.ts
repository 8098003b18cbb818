import { expect, vi } from "vitest";
import { idsOf, type Acknowledgements } from "./acknowledgements.ts";
import { get, type ExpectedResponse, type HttpCase, type Read } from "./http-case.ts";
import { RawConnection } from "./raw-connection.ts";
import { objectOf, type HttpResponse } from "./read-responses.ts";

const withinMs = 30_000;

/**
 * Runs one case on a new connection. Returns every difference from what is expected, one text for each, and adds the acknowledged events to
 * `acknowledgements`. `onResponse` gets the response of a case with one request.
 */
export async function runCase(
  url: string,
  one: HttpCase,
  n: number,
  acknowledgements: Acknowledgements,
  onResponse: (request: Buffer, response: HttpResponse) => void = () => undefined,
): Promise<readonly string[]> {
  const connection = new RawConnection(url, { withinMs });
  try {
    const responses: HttpResponse[] = [];
    const parts = [one.send(n)].flat();
    for (const part of parts) {
      await connection.write(part);
      if (parts.length > 1 && one.inPieces !== true) responses.push(...(await connection.responses(1)));
    }
    if (one.halfCloses === true) connection.endSending();
    const early = responses.length;
    const methodOf = (nth: number): string => one.expect[early + nth]?.method ?? "GET";
    responses.push(...(await connection.responses(one.expect.length - early, methodOf)));
    const [request, ...laterRequests] = parts;
    const [only, ...laterResponses] = responses;
    const isOne = laterRequests.length + laterResponses.length === 0;
    if (isOne && request !== undefined && only !== undefined) onResponse(request, only);
    const contents = one.stores?.(n) ?? [];
    const ids = responses.flatMap(idsOf);
    for (const [index, { id }] of ids.entries()) {
      acknowledgements.add({ id, by: one.name, content: contents[index] });
    }
    const isAskedToClose = asksToClose.test(Buffer.concat(parts).toString("latin1"));
    const found = [
      ...responses.flatMap((response, index) => differencesOf(response, one.expect[index])),
      ...(ids.length === contents.length ? [] : [`${ids.length} of ${contents.length} events are acknowledged`]),
      ...(responses.length < one.expect.length
        ? [`${responses.length} of ${one.expect.length} responses came`]
        : await differencesAtEnd(connection, one, responses.at(-1), isAskedToClose)),
    ];
    if (found.length === 0 && one.reads !== undefined) await expectReads(url, one.reads(n));
    return found.map((difference) => `${one.name}: ${difference}`);
  } catch (error) {
    return [`${one.name}: ${String(error)}`];
  } finally {
    connection.destroy();
  }
}

/** Waits until each GET returns its body. */
async function expectReads(url: string, reads: readonly Read[]): Promise<void> {
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
    await vi.waitFor(read, { timeout: 20_000, interval: 100 }).catch((error: unknown) => {
      throw new Error(`GET ${path}: expected ${JSON.stringify(expected)}, got ${last}`, { cause: error });
    });
  }
}

/** What is wrong with an error response of any kind: a 5xx, a body without an explanation, or one that shows the code. */
export function errorFaults(response: HttpResponse): readonly string[] {
  const { status, body } = response;
  if (status < 400) return [];
  const fields = objectOf(response);
  const text = fields?.["message"] ?? fields?.["msg"];
  const isBulk = Array.isArray(fields?.["results"]);
  const type = response.headers.get("content-type");
  return [
    ...(status >= 500 ? [`status ${status}: ${body.slice(0, 200)}`] : []),
    ...(isBulk || (typeof text === "string" && text.length >= 10)
      ? []
      : [`an error ${status} without an explanation: ${JSON.stringify(body.slice(0, 100))}`]),
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
// Or it asks for a close, a tunnel or another protocol, or speaks an older version.
const asksToClose = /^connection: close|connect \S+ http|^upgrade: |http\/1\.0\r?$|^[a-z]+ \S+\r?$/im;

/** A connection that says "close" must close, any other must serve one more request; no response may follow on either. */
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
    if (response?.status !== 200)
      return [
        `the connection does not serve another request: ${response === undefined ? "closed" : summary(response)}`,
      ];
  }
  const rest = await connection.untilClosed();
  return rest.length === 0
    ? []
    : [`bytes behind the last response: ${JSON.stringify(rest.toString("latin1", 0, 200))}`];
}

const summary = ({ status, body }: HttpResponse): string => `${status} ${JSON.stringify(body.slice(0, 200))}`;
