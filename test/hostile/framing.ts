import {
  asks,
  chunked,
  created,
  get,
  live,
  malformed,
  post,
  raw,
  refused,
  stores,
  unsupported,
  json,
  type HttpCase,
} from "../http/http-case.ts";
import { postSale, sale, saleBody, salePath, sells, steps, stepsAccepted, stepsPath } from "../http/sample-requests.ts";

const { length } = saleBody;
const halfCloses = { halfCloses: true } as const;

const lengths: readonly HttpCase[] = [
  ["twice the same", `Content-Length: ${length}\r\nContent-Length: ${length}`],
  ["twice and different", `Content-Length: ${length}\r\nContent-Length: 1`],
  ["as a list", `Content-Length: ${length}, ${length}`],
  ["negative", "Content-Length: -1"],
  ["with a plus", `Content-Length: +${length}`],
  ["in hexadecimal", "Content-Length: 0x30"],
  ["as a fraction", `Content-Length: ${length}.0`],
  ["with an exponent", "Content-Length: 4e1"],
  ["with a space within", "Content-Length: 4 8"],
  ["with a space before the colon", `Content-Length : ${length}`],
  ["empty", "Content-Length:"],
  ["a word", "Content-Length: all"],
  ["beyond 64 bits", "Content-Length: 99999999999999999999999"],
  ["in other digits", "Content-Length: \xd9\xa4\xd9\xa8"],
  ["with a NUL", `Content-Length: ${length}\0`],
].map(([name = "", line = ""]) =>
  asks(
    `a Content-Length that is ${name} gets 400`,
    (n) => raw([`POST ${salePath(n)} HTTP/1.1`, "Host: tally", json, line], saleBody),
    malformed,
    halfCloses,
  ),
);

const sizeOf = length.toString(16);
const end = "\r\n0\r\n\r\n";
const whole = `${sizeOf}\r\n${saleBody}${end}`;
const withEncoding = (n: number, lines: readonly string[], body = whole, version = "1.1"): Buffer =>
  raw([`POST ${salePath(n)} HTTP/${version}`, "Host: tally", json, ...lines], body);
const inChunks = (n: number, body: string): Buffer => withEncoding(n, ["Transfer-Encoding: chunked"], body);

const encodings: readonly HttpCase[] = (
  [
    ["beside a Content-Length", `Content-Length: ${whole.length}\r\nTransfer-Encoding: chunked`, malformed],
    ["in front of a Content-Length", "Transfer-Encoding: chunked\r\nContent-Length: 4", malformed],
    ["that does not end with chunked", "Transfer-Encoding: chunked, identity", malformed],
    ["of chunked twice", "Transfer-Encoding: chunked, chunked", malformed],
    ["in two headers", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", malformed],
    ["in two headers, one of them unknown", "Transfer-Encoding: chunked\r\nTransfer-Encoding: x", malformed],
    ["with a space in front of its colon", "Transfer-Encoding : chunked", malformed],
    ["with a vertical tab", "Transfer-Encoding:\x0bchunked", malformed],
    ["that is not chunked", "Transfer-Encoding: xchunked", unsupported],
    ["of identity", "Transfer-Encoding: identity", unsupported],
    ["in quotes", 'Transfer-Encoding: "chunked"', unsupported],
    ["of gzip alone", "Transfer-Encoding: gzip", unsupported],
    ["of gzip and chunked", "Transfer-Encoding: gzip, chunked", unsupported],
  ] as const
).map(([name, line, expected]) =>
  asks(`a Transfer-Encoding ${name} gets 400`, (n) => withEncoding(n, [line]), expected, halfCloses),
);

const badChunks: readonly HttpCase[] = [
  ["a size that is no number", `zz\r\n${saleBody}${end}`],
  ["a negative size", `-5\r\n${saleBody}${end}`],
  ["a size with 0x", `0x${sizeOf}\r\n${saleBody}${end}`],
  ["no size", `\r\n${saleBody}${end}`],
  ["a size of 17 digits", `11111111111111111\r\n${saleBody}${end}`],
  ["a size that is too small", `5\r\n${saleBody}${end}`],
  ["lines that end with LF", `${sizeOf}\n${saleBody}\n0\n\n`],
  ["no end of line behind its bytes", `${sizeOf}\r\n${saleBody}0\r\n\r\n`],
  ["no last chunk", `${sizeOf}\r\n${saleBody}\r\n`],
  ["half a last chunk", `${sizeOf}\r\n${saleBody}\r\n0\r\n`],
  ["fewer bytes than its size", `ff\r\n${saleBody}`],
  ["a broken trailer", `${sizeOf}\r\n${saleBody}\r\n0\r\nX Trailer: 1\r\n\r\n`],
].map(([name = "", body = ""]) =>
  asks(`a chunk with ${name} gets 400 and stores nothing`, (n) => inChunks(n, body), malformed, halfCloses),
);

const goodChunks: readonly HttpCase[] = [
  ["a size with zeros in front", `000${sizeOf}\r\n${saleBody}${end}`],
  ["a size in capitals", `${sizeOf.toUpperCase()}\r\n${saleBody}${end}`],
  ["an extension", `${sizeOf};name=value\r\n${saleBody}${end}`],
  ["an extension in quotes", `${sizeOf};name="a;b"\r\n${saleBody}${end}`],
  ["a trailer", `${sizeOf}\r\n${saleBody}\r\n0\r\nX-Trailer: 1\r\n\r\n`],
  ["a trailer that names a key", `${sizeOf}\r\n${saleBody}\r\n0\r\nIdempotency-Key: late\r\n\r\n`],
].map(([name = "", body = ""]) => sells(`a chunk with ${name} is stored`, (n) => inChunks(n, body)));

const long = "x".repeat(20_000);
const smuggling: readonly HttpCase[] = [
  asks(
    "CL.TE: what follows the last chunk is no request",
    (n) =>
      Buffer.concat([withEncoding(n, ["Content-Length: 6", "Transfer-Encoding: chunked"], "0\r\n\r\n"), postSale(n)]),
    malformed,
  ),
  asks(
    "TE.CL: a sale within a chunk is no request",
    (n) =>
      withEncoding(n, ["Content-Length: 4", "Transfer-Encoding: chunked"], `5c\r\n${postSale(n).toString()}${end}`),
    malformed,
  ),
  asks(
    "a sale within the body of a GET is no request",
    (n) => raw(["GET /health/live HTTP/1.1", "Host: tally", `Content-Length: ${postSale(n).length}`], postSale(n)),
    live,
  ),
  stores(
    "a sale within the body of steps is no request",
    (n) => post(stepsPath(n), postSale(n), []),
    stepsAccepted,
    steps,
  ),
  asks(
    "a sale within a header's value is no request",
    (n) => get("/health/live", [`X-Header: ${postSale(n).toString().replaceAll("\r\n", " ")}`]),
    live,
  ),
  stores(
    "chunks of HTTP/1.0 are read, and the connection closes",
    (n) => withEncoding(n, ["Transfer-Encoding: chunked"], whole, "1.0"),
    { ...created, headers: { connection: /^close$/ } },
    sale,
  ),
  asks(
    "an extension of 20 kB is rejected",
    (n) => inChunks(n, `${sizeOf};${long}\r\n${saleBody}${end}`),
    refused([400, 413, 431], /./),
  ),
  asks(
    "a trailer of 20 kB is rejected",
    (n) => inChunks(n, `${sizeOf}\r\n${saleBody}\r\n0\r\nX: ${long}\r\n\r\n`),
    refused([400, 413, 431], /./),
  ),
];

const bytewise = (bytes: Buffer): readonly Buffer[] => Array.from(bytes, (byte) => Buffer.of(byte));
const all = (...parts: readonly (Buffer | string)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));
const times = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index));

/** Pipelined requests, requests in pieces, and requests that are cut off: each gets one response, in order. */
const order: readonly HttpCase[] = [
  stores(
    "a byte more than Content-Length: the sale gets 201, then the byte 400",
    (n) => all(postSale(n), "}"),
    [created, malformed],
    sale,
    halfCloses,
  ),
  stores(
    "200 sales, garbage and 10 sales: 200 are stored, the rest gets one 400",
    (n) => all(...times(200, () => postSale(n)), "\0\0\0\0", ...times(10, () => postSale(n))),
    [...times(200, () => created), malformed],
    (n) => times(200, () => sale(n)),
  ),
  stores(
    "a malformed chunk gets one 400, after the response to the request before it",
    (n) => all(postSale(n), inChunks(n, '5\r\n{"ite\r\nzz\r\n')),
    [created, malformed],
    sale,
  ),
  sells("a client that ends its sending side gets its response", (n) => postSale(n), 1, halfCloses),
  stores(
    "a client that pipelines and ends its sending side gets all responses",
    (n) => all(postSale(n), get("/health/live"), ...times(100, () => postSale(n))),
    [created, live, ...times(100, () => created)],
    (n) => times(101, () => sale(n)),
    halfCloses,
  ),
  ...Object.entries({ "a body": -5, "the headers": 60, "the request line": 30 }).map(([where, cutAt]) =>
    asks(`a client that ends within ${where} gets 400`, (n) => postSale(n).subarray(0, cutAt), malformed, halfCloses),
  ),
  stores(
    "a client that ends within the second request gets the first response",
    (n) => all(postSale(n), postSale(n).subarray(0, -5)),
    [created, malformed],
    sale,
    halfCloses,
  ),
  stores("a request byte by byte is stored", (n) => bytewise(postSale(n)), created, sale, { inPieces: true }),
  sells("a request in chunks of one byte is stored", (n) => chunked(salePath(n), Array.from(saleBody))),
  asks(
    "fifty pipelined requests get their responses in order",
    () => all(...times(50, (index) => get(index % 2 === 0 ? "/health/live" : "/nowhere"))),
    times(50, (index) => (index % 2 === 0 ? live : refused(404, /^no such path/))),
  ),
  stores(
    "a rejected body does not disturb the next request",
    (n) => all(post(salePath(n), "{"), postSale(n)),
    [refused(400, /^body: expected JSON/), created],
    sale,
  ),
  asks(
    "a HEAD among others has no body",
    () => all(get("/health/live"), raw(["HEAD /health/live HTTP/1.1", "Host: tally"]), get("/health/live")),
    [live, { status: 200, method: "HEAD" }, live],
  ),
  sells("a sale behind Connection: close is not read", (n) =>
    all(postSale(n, [json, "Connection: close"]), postSale(n)),
  ),
  sells("garbage behind Connection: close is dropped", (n) => all(postSale(n, [json, "Connection: close"]), "garbage")),
  sells(
    "an Upgrade header without Connection: Upgrade changes nothing for the requests behind it",
    (n) => all(postSale(n, [json, "Upgrade: h2c"]), postSale(n), postSale(n)),
    3,
  ),
  stores(
    "an offer of HTTP/2 is not taken, and what follows in the same write is neither served nor stored",
    (n) => all(postSale(n, [json, "Connection: Upgrade", "Upgrade: h2c"]), postSale(n)),
    { ...created, headers: { connection: /^close$/ } },
    sale,
  ),
  asks(
    "a client that still sends gets the 400 for what it sent",
    () => all("no HTTP\r\n\r\n", Buffer.alloc(4 * 1024 * 1024)),
    malformed,
  ),
];

/** Lengths, chunks, pipelines, and bytes that could be taken for a second request. */
export const framing: readonly HttpCase[] = [
  ...lengths,
  ...encodings,
  ...badChunks,
  ...goodChunks,
  ...smuggling,
  ...order,
];
