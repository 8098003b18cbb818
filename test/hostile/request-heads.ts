import { asks, bad, closing, created, live, malformed, noSuchPath, ok, rejected, rejectedMsg } from "../http/cases.ts";
import { shown, stepsAccepted, stores, type HttpCase } from "../http/cases.ts";
import { albumForm, formType, get, json, post, postSale, raw, request, saleBody } from "../http/requests.ts";
import { salePath, stepsPath, upgrade } from "../http/requests.ts";
import { sale, steps } from "../http/stored.ts";

/* Request lines, methods and header fields. */

const bytes = (text: string) => (): Buffer => Buffer.from(text, "latin1");
const host = "Host: tally\r\n\r\n";

/** First bytes that are not HTTP/1.1. */
const garbage: readonly HttpCase[] = [
  "this is no HTTP\r\n\r\n",
  `get /health/live HTTP/1.1\r\n${host}`,
  `GET /health/live HTTP/1.2\r\n${host}`,
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  `GET /items/store/5\0 HTTP/1.1\r\n${host}`,
  `GET items/store/5 HTTP/1.1\r\n${host}`,
  "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
  "\0".repeat(100),
].map((text) => asks(`${shown(text)} is no request`, bytes(text), bad(/^request: expected HTTP\/1\.1/)));

/** A path that exists, with a method that it does not have. */
const methods: readonly HttpCase[] = (
  [
    ["GET", "/swipe/left", "POST"],
    ["POST", "/health/live", "GET, HEAD"],
    ["PUT", "/purchases", "GET, HEAD, POST"],
    ["OPTIONS", "//purchases/", "GET, HEAD, POST"],
    ["PATCH", "/shop_war/albums", "POST"],
    ["DELETE", "/albums/5", "GET, HEAD"],
  ] as const
).map(([method, path, allow]) =>
  asks(`${method} ${path} gets 405 with Allow: ${allow}`, () => request(method, path, ["Content-Length: 0"]), {
    ...(path.includes("albums") ? rejectedMsg : rejected)(
      405,
      new RegExp(`^method: expected ${allow.replaceAll(", ", " or ")}, got ${method}$`),
    ),
    headers: { allow: new RegExp(`^${allow}$`) },
  }),
);

const connect = { ...rejected(405, /^CONNECT: this is no proxy/), headers: { allow: /^GET, HEAD, POST, PUT$/ } };
const heads = (status: number) => ({ status, method: "HEAD" }) as const;

/** Request lines that are valid and unusual. */
const unusual: readonly HttpCase[] = [
  asks("CONNECT gets 405", () => request("CONNECT", "tally:80"), connect),
  stores(
    "CONNECT behind a sale gets 405 after the sale's response, and no tunnel",
    (n) => Buffer.concat([postSale(n), raw(["CONNECT a:443 HTTP/1.1", "Host: a:443"], "bytes of a tunnel")]),
    [created, connect],
    sale,
  ),
  asks("a HEAD has no body", () => request("HEAD", "/items/store/5"), heads(200)),
  asks("a HEAD of a POST's path has no body", () => request("HEAD", "/swipe/left"), heads(405)),
  asks("lines without CR get 400", bytes("GET /health/live HTTP/1.1\nHost: tally\n\n"), bad(/^request/)),
  asks("HTTP/1.0 needs no Host, and closes", bytes("GET /health/live HTTP/1.0\r\n\r\n"), closing(live)),
  asks("a request without a version closes", bytes("GET /health/live\r\n\r\n"), closing({ status: [200, 400] })),
  asks("a target of 20 kB is rejected", () => get(`/items/store/${"5".repeat(20_000)}`), rejected([414, 431], /./)),
  asks("a query of 12 kB is rejected", () => get(`/items/store/5?${"a".repeat(12_000)}`), rejected([400, 414], /./)),
  asks("a connection without a byte is closed without a response", bytes(""), [], { halfCloses: true }),
  stores("steps without a Content-Length are stored", (n) => request("POST", stepsPath(n)), stepsAccepted, steps),
  asks("metrics are not on the public port", () => get("/metrics"), noSuchPath),
  asks("readiness is not on the public port", () => get("/health/ready"), noSuchPath),
  asks("an unknown path gets 404 without Allow", () => request("PUT", "/nowhere"), {
    ...rejected(404, /^no such path: PUT \/nowhere/),
    headers: { allow: /^none$/ },
  }),
  ...[
    "GET /albums/5 HTTP/1.1\r\nHost : tally\r\n\r\n",
    "POST /albums HTTP/1.1\r\nHost: tally\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    `GET /albums/1 HTTP/1.1\r\nHost: tally\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
  ].map((text) => asks(`malformed: ${shown(text)} gets msg`, bytes(text), rejectedMsg([400, 431], /expected/))),
];

const rejectedLines: readonly HttpCase[] = [
  "X-Header",
  ": 1",
  "X\0Header: 1",
  "X-Header: a\0b",
  "X-Header: a\nb: c",
  "X-Header: a\r\n b",
].map((line) => asks(`the header line ${shown(line)} gets 400`, () => get("/health/live", [line]), malformed));

const acceptedLines: readonly HttpCase[] = [
  "X-Header: a\tb",
  "X-Header:",
  `X-Header: ${"a".repeat(8192)}`,
  "X-HTTP-Method-Override: DELETE",
  "X-Forwarded-For: ' OR 1=1 --",
  "Accept-Encoding: ;q=, gzip;q=2, \x22",
  `X-Request-Id: ${"i".repeat(3000)}`,
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  Array.from({ length: 80 }, (_, index) => `a${index % 10}:`).join("\r\n"),
  "Expect: 100-Continue",
  // The gateway's own page.
  "Origin: http://tally\r\nSec-Fetch-Site: same-origin",
].map((line) =>
  stores(`a sale with the header line ${shown(line)} is stored`, (n) => postSale(n, [json, line]), created, sale),
);

const oneHost = bad(/^Host: expected one such header, got several/);
const noHost = bad(/^Host: expected the header, which HTTP\/1\.1 requires/);
const form = albumForm(1);
const hosts: readonly HttpCase[] = [
  asks("no Host gets 400", () => raw(["GET /health/live HTTP/1.1"]), noHost),
  asks("a sale without Host", (n) => Buffer.from(postSale(n).toString().replace("Host: tally\r\n", "")), noHost),
  asks(
    "an album without Host gets msg",
    () => raw(["POST /albums HTTP/1.1", formType, `Content-Length: ${form.length}`], form),
    rejectedMsg(400, /^Host: /),
  ),
  asks("two Hosts below /albums get msg", () => get("/albums/1", ["HOST: b"]), rejectedMsg(400, /^Host: expected one/)),
  asks("a sale with two Hosts is not stored", (n) => postSale(n, [json, "Host: other"]), oneHost),
];

// The system of these tests requires no keys: nothing else would stop a page of another site.
const foreign = /^expected no request of another site's page, got one of /;
const page = ["Origin: https://other.example", "Sec-Fetch-Site: cross-site"];
const pages: readonly HttpCase[] = [
  asks("a sale of a page", (n) => postSale(n, [json, ...page]), rejected(403, foreign)),
  asks(
    "a replay of a page",
    () => post("/dead-letters/01a1fb30-2980-71ee-89cd-4f71757df440/replay", "", ["Content-Type: text/plain", ...page]),
    rejected(403, foreign),
  ),
  asks("a review of a page", () => post("/review/like/1", "", page), rejectedMsg(403, foreign)),
  asks("a read of a page is served", () => get("/items/store/5", page), ok(200)),
];

const tooLong = rejected(431, /^headers: expected at most 16384 bytes together/);
const types = bad(/^Content-Type: expected the header once, got 2/);
const others: readonly HttpCase[] = [
  asks("101 headers get 431", () => get("/health/live", Array<string>(100).fill("A: b")), {
    ...rejected(431, /^headers: expected at most 100$/),
  }),
  asks("a header of 20 kB gets 431", () => get("/health/live", [`X-Long: ${"x".repeat(20_000)}`]), tooLong),
  ...["200-ok", "100-continued", "x".repeat(1000)].map((value) =>
    asks(
      `Expect: ${value.slice(0, 30)} gets 417`,
      (n) => postSale(n, [json, `Expect: ${value}`]),
      rejected(417, new RegExp(`^Expect: expected 100-continue, got "${value.slice(0, 30)}`)),
    ),
  ),
  asks("Expect below /albums gets msg", () => get("/albums/top", ["Expect: x"]), rejectedMsg(417, /^Expect: /)),
  stores("Connection: close closes", (n) => postSale(n, [json, "Connection: close"]), closing(created), sale),
  asks("two Content-Types: JSON first", (n) => postSale(n, [json, "content-type: text/plain"]), types),
  asks(
    "two Content-Types below /albums are rejected with msg",
    () => post("/albums", "{}", [json, "Content-Type: multipart/form-data; boundary=x"]),
    rejectedMsg([400, 415], /^Content-Type: /),
  ),
  stores(
    "h2c upgrade headers leave the connection open for requests of any kind",
    (n) => Array.from({ length: 2 }, () => post(salePath(n), saleBody, [json, ...upgrade])),
    [created, created],
    (n) => [sale(n), sale(n)],
  ),
];

export const requestLines: readonly HttpCase[] = [...garbage, ...methods, ...unusual];
export const headerFields: readonly HttpCase[] = [...rejectedLines, ...acceptedLines, ...hosts, ...pages, ...others];
