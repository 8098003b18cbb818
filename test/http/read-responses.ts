/** One HTTP response as it came over the wire. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Buffer;
  /** `bytes` as UTF-8. */
  readonly body: string;
}

interface Options {
  /** The method of the nth request: a response to HEAD has no body. Default GET. */
  readonly methodOf?: (nth: number) => string;
  /** Default: as many as there are. */
  readonly max?: number;
  /** 100 includes informational responses. */
  readonly statusMin?: number;
}

/** Splits received bytes into whole responses and the rest. Throws for bytes that are no HTTP response. */
export function readResponses(
  received: Buffer,
  isClosed: boolean,
  { methodOf = () => "GET", max = Number.POSITIVE_INFINITY, statusMin = 200 }: Options = {},
): { readonly responses: readonly HttpResponse[]; readonly rest: Buffer } {
  const responses: HttpResponse[] = [];
  let rest = received;
  while (responses.length < max) {
    const one = readResponse(rest, isClosed, methodOf(responses.length));
    if (one === undefined) break;
    rest = one.rest;
    if (one.response.status >= statusMin) responses.push(one.response);
  }
  return { responses, rest };
}

function readResponse(bytes: Buffer, isClosed: boolean, method: string) {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`no status line: ${JSON.stringify(statusLine.slice(0, 100))}`);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const body = bytes.subarray(headEnd + 4);
  const found = status < 200 || status === 204 || method === "HEAD" ? take(body, 0) : bodyOf(body, headers, isClosed);
  if (found === undefined) return undefined;
  return { response: { status, headers, bytes: found.taken, body: found.taken.toString() }, rest: found.rest };
}

const take = (bytes: Buffer, length: number) => ({ taken: bytes.subarray(0, length), rest: bytes.subarray(length) });

function bodyOf(body: Buffer, headers: ReadonlyMap<string, string>, isClosed: boolean) {
  if (headers.get("transfer-encoding") === "chunked") return chunksOf(body);
  const length = Number(headers.get("content-length") ?? Number.NaN);
  // Without a length the body ends with the connection.
  if (Number.isNaN(length)) return isClosed ? take(body, body.length) : undefined;
  return body.length < length ? undefined : take(body, length);
}

function chunksOf(body: Buffer) {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = body.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(body.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + length;
    if (!(body.length >= end + 2)) return undefined;
    chunks.push(body.subarray(lineEnd + 2, end));
    at = end + 2;
    if (length === 0) return { taken: Buffer.concat(chunks), rest: body.subarray(at) };
  }
}

/** The fields of a JSON object in a response; undefined where the body is none. */
export function objectOf({ body }: HttpResponse): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
