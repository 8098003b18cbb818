/** One final HTTP response as it came over the wire; responses 1xx are skipped. */
export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Buffer;
}

/** What is left of a stream of bytes behind the responses that are whole. */
export interface Received {
  readonly answers: readonly Answer[];
  readonly rest: Buffer;
}

/**
 * Splits received bytes into at most `max` responses. `methodOf` returns the method of the nth request, because a response to HEAD has no
 * body. Throws for bytes that are no HTTP response.
 */
export function readAnswers(
  received: Buffer,
  isClosed: boolean,
  methodOf: (nth: number) => string,
  max = Number.POSITIVE_INFINITY,
): Received {
  const answers: Answer[] = [];
  let rest = received;
  while (answers.length < max) {
    const one = readAnswer(rest, isClosed, methodOf(answers.length));
    if (one === undefined) break;
    rest = one.rest;
    if (one.answer.status >= 200) answers.push(one.answer);
  }
  return { answers, rest };
}

function readAnswer(bytes: Buffer, isClosed: boolean, method: string) {
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
  const found = status < 200 || status === 204 || method === "HEAD" ? empty(body) : bodyOf(body, headers, isClosed);
  return found && { answer: { status, headers, bytes: found.bytes }, rest: found.rest };
}

const empty = (rest: Buffer) => ({ bytes: Buffer.alloc(0), rest });

function bodyOf(body: Buffer, headers: ReadonlyMap<string, string>, isClosed: boolean) {
  if (headers.get("transfer-encoding") === "chunked") return chunksOf(body);
  const length = headers.get("content-length");
  // Without a length the body ends with the connection.
  if (length === undefined) return isClosed ? { bytes: body, rest: Buffer.alloc(0) } : undefined;
  if (body.length < Number(length)) return undefined;
  return { bytes: body.subarray(0, Number(length)), rest: body.subarray(Number(length)) };
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
    if (length === 0) return { bytes: Buffer.concat(chunks), rest: body.subarray(at) };
  }
}

/** The fields of a JSON object in a response; undefined where the body is none. */
export function objectOf({ bytes }: Answer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
