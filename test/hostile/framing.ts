import { asks, bad, closing, created, live, malformed, noSuchPath, rejected, stepsAccepted } from "../http/cases.ts";
import { stores, unsupported, type HttpCase } from "../http/cases.ts";
import { get, json, post, postSale, raw, saleBody, salePath, stepsPath, upgrade } from "../http/requests.ts";
import { sale, steps } from "../http/stored.ts";

const { length } = saleBody;
const halfCloses = { halfCloses: true } as const;
const times = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index));
const all = (...parts: readonly (Buffer | string)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));
const framed = (n: number, lines: readonly string[], body: string, version = "1.1"): Buffer =>
  raw([`POST ${salePath(n)} HTTP/${version}`, "Host: tally", json, ...lines], body);

const lengths: readonly HttpCase[] = [
  `Content-Length: ${length}\r\nContent-Length: ${length}`,
  `Content-Length: ${length}\r\nContent-Length: 1`,
  "Content-Length: -1",
  `Content-Length: +${length}`,
  `Content-Length : ${length}`,
  "Content-Length: 99999999999999999999999",
].map((line) =>
  asks(`the length ${JSON.stringify(line)} gets 400`, (n) => framed(n, [line], saleBody), malformed, halfCloses),
);

const sizeOf = length.toString(16);
const end = "\r\n0\r\n\r\n";
const whole = `${sizeOf}\r\n${saleBody}${end}`;
const inChunks = (n: number, body: string): Buffer => framed(n, ["Transfer-Encoding: chunked"], body);

const encodings: readonly HttpCase[] = (
  [
    [`Content-Length: ${whole.length}\r\nTransfer-Encoding: chunked`, malformed],
    ["Transfer-Encoding: chunked\r\nContent-Length: 4", malformed],
    ["Transfer-Encoding: chunked, chunked", malformed],
    ["Transfer-Encoding : chunked", malformed],
    ["Transfer-Encoding:\x0bchunked", malformed],
    ["Transfer-Encoding: xchunked", unsupported],
    ["Transfer-Encoding: gzip, chunked", unsupported],
  ] as const
).map(([line, expected]) =>
  asks(`the encoding ${JSON.stringify(line)} gets 400`, (n) => framed(n, [line], whole), expected, halfCloses),
);

const badChunks: readonly HttpCase[] = [
  `zz\r\n${saleBody}${end}`,
  `11111111111111111\r\n${saleBody}${end}`,
  `${sizeOf}\n${saleBody}\n0\n\n`,
  `${sizeOf}\r\n${saleBody}0\r\n\r\n`,
  `${sizeOf}\r\n${saleBody}\r\n`,
  `${sizeOf}\r\n${saleBody}\r\n0\r\nX Trailer: 1\r\n\r\n`,
].map((body) => asks(`the chunks ${JSON.stringify(body)} get 400`, (n) => inChunks(n, body), malformed, halfCloses));

const goodChunks: readonly HttpCase[] = [
  `000${sizeOf.toUpperCase()}\r\n${saleBody}${end}`,
  `${sizeOf};name="a;b"\r\n${saleBody}${end}`,
  `${sizeOf}\r\n${saleBody}\r\n0\r\nX-Trailer: 1\r\nIdempotency-Key: late\r\n\r\n`,
].map((body) => stores(`the chunks ${JSON.stringify(body)} are read`, (n) => inChunks(n, body), created, sale));

const long = "x".repeat(20_000);
const smuggling: readonly HttpCase[] = [
  asks(
    "CL.TE: what follows the last chunk is no request",
    (n) => all(framed(n, ["Content-Length: 6", "Transfer-Encoding: chunked"], "0\r\n\r\n"), postSale(n)),
    malformed,
  ),
  asks(
    "TE.CL: a sale within a chunk is no request",
    (n) => framed(n, ["Content-Length: 4", "Transfer-Encoding: chunked"], `5c\r\n${postSale(n).toString()}${end}`),
    malformed,
  ),
  asks(
    "a sale within the body of a GET is no request",
    (n) => all(get("/health/live", [`Content-Length: ${postSale(n).length}`]), postSale(n)),
    live,
  ),
  stores("a sale within the body of steps is none", (n) => post(stepsPath(n), postSale(n), []), stepsAccepted, steps),
  stores(
    "chunks of HTTP/1.0 are read, and the connection closes",
    (n) => framed(n, ["Transfer-Encoding: chunked"], whole, "1.0"),
    closing(created),
    sale,
  ),
  ...[`${sizeOf};${long}\r\n${saleBody}${end}`, `${sizeOf}\r\n${saleBody}\r\n0\r\nX: ${long}\r\n\r\n`].map(
    (body, index) =>
      asks(`20 kB beside chunks (${index}) are rejected`, (n) => inChunks(n, body), rejected([400, 413, 431], /./)),
  ),
];

/** Pipelined requests, requests in pieces, and requests that are cut off: each gets one response, in order. */
const order: readonly HttpCase[] = [
  stores("a byte more than Content-Length", (n) => all(postSale(n), "}"), [created, malformed], sale, halfCloses),
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
  stores("byte by byte", (n) => Array.from(postSale(n), (byte) => Buffer.of(byte)), created, sale, { inPieces: true }),
  asks(
    "fifty pipelined requests get their responses in order",
    () => all(...times(50, (index) => get(index % 2 === 0 ? "/health/live" : "/nowhere"))),
    times(50, (index) => (index % 2 === 0 ? live : noSuchPath)),
  ),
  stores(
    "a rejected body does not disturb the next request",
    (n) => all(post(salePath(n), "{"), postSale(n)),
    [bad(/^body: expected JSON/), created],
    sale,
  ),
  ...(["a sale", "garbage"] as const).map((behind) =>
    stores(
      `${behind} behind Connection: close is not read`,
      (n) => all(postSale(n, [json, "Connection: close"]), behind === "garbage" ? behind : postSale(n)),
      created,
      sale,
    ),
  ),
  stores(
    "an Upgrade header without Connection: Upgrade changes nothing for the requests behind it",
    (n) => all(postSale(n, [json, "Upgrade: h2c"]), postSale(n), postSale(n)),
    [created, created, created],
    (n) => times(3, () => sale(n)),
  ),
  stores(
    "an offer of HTTP/2 is not taken, and what follows in the same write is neither served nor stored",
    (n) => all(postSale(n, [json, "Connection: Upgrade", "Upgrade: h2c"]), postSale(n)),
    closing(created),
    sale,
  ),
  asks("likewise in a GET", (n) => all(get("/health/live", upgrade), postSale(n)), closing(live)),
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
