import { formType } from "../http/form.ts";
import {
  asks,
  created,
  get,
  json,
  malformed,
  ok,
  post,
  raw,
  refused,
  refusedMsg,
  stores,
  type HttpCase,
} from "../http/http-case.ts";
import { upgrade } from "../http/raw-connection.ts";
import { albumForm, postSale, sale, saleBody, salePath, sells } from "../http/sample-requests.ts";

const rejectedLines: readonly HttpCase[] = [
  ["a header without a colon", "X-Header"],
  ["a space in front of a header's colon", "X-Header : 1"],
  ["a header without a name", ": 1"],
  ["a space in a header's name", "X Header: 1"],
  ["a quote in a header's name", 'X"Header: 1'],
  ["a NUL in a header's name", "X\0Header: 1"],
  ["letters beyond ASCII in a header's name", "X-H\xe9ader: 1"],
  ["a NUL in a header's value", "X-Header: a\0b"],
  ["a control character in a header's value", "X-Header: a\x01b"],
  ["a CR alone in a header's value", "X-Header: a\rb"],
  ["a line feed alone in a header's value", "X-Header: a\nb: c"],
  ["a DEL in a header's value", "X-Header: a\x7fb"],
  ["a header that is folded onto a second line", "X-Header: a\r\n b"],
].map(([name = "", line = ""]) => asks(`${name} gets 400`, () => get("/health/live", [line]), malformed));

const acceptedLines: readonly HttpCase[] = [
  ["a tab in a value", "X-Header: a\tb"],
  ["UTF-8 in a value", "X-Header: \xc3\xa9"],
  ["an empty value", "X-Header:"],
  ["a value of 8 kB", `X-Header: ${"a".repeat(8192)}`],
  ["a name of __proto__", "__proto__: 1"],
  ["a name of constructor", "constructor: 1"],
  ["a cookie of 4 kB", `Cookie: a=${"b".repeat(4096)}`],
  ["a method override", "X-HTTP-Method-Override: DELETE"],
  ["a rewritten path", "X-Original-URL: /metrics"],
  ["a forwarded address that is none", "X-Forwarded-For: ' OR 1=1 --"],
  ["a forwarded host", "X-Forwarded-Host: evil.example"],
  ["a strange Accept", "Accept: application/xml;q=0.9, ;;;"],
  ["a strange Accept-Encoding", "Accept-Encoding: ;q=, gzip;q=2, \x22"],
  ["a strange If-None-Match", 'If-None-Match: W/"""*'],
  ["a strange Range", "Range: bytes=-1-,5-2"],
  ["a strange request id", `X-Request-Id: ${"i".repeat(3000)}`],
  ["a strange Date", "Date: yesterday"],
  [
    "an upgrade to a WebSocket",
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ],
  ["80 headers", Array.from({ length: 80 }, (_, index) => `a${index % 10}:`).join("\r\n")],
  ["Expect: 100-continue", "Expect: 100-continue"],
  ["Expect: 100-Continue in other letters", "Expect: 100-Continue"],
].map(([name = "", line = ""]) => sells(`${name} changes nothing`, (n) => postSale(n, [json, line])));

const oneHost = refused(400, /^Host: expected one such header, got several/);
const noHost = refused(400, /^Host: expected the header, which HTTP\/1\.1 requires/);
const hosts: readonly HttpCase[] = [
  asks("no Host gets 400", () => raw(["GET /health/live HTTP/1.1"]), noHost),
  asks(
    "a sale without Host is not stored",
    (n) => Buffer.from(postSale(n).toString().replace("Host: tally\r\n", "")),
    noHost,
  ),
  asks(
    "an album without Host gets msg",
    (n) => raw(["POST /albums HTTP/1.1", formType, `Content-Length: ${albumForm(n).length}`], albumForm(n)),
    refusedMsg(400, /^Host: /),
  ),
  asks("two equal Hosts get 400", () => get("/health/live", ["Host: tally"]), oneHost),
  asks("two different Hosts get 400", () => get("/health/live", ["host: other"]), oneHost),
  asks("two Hosts below /albums get msg", () => get("/albums/1", ["HOST: b"]), refusedMsg(400, /^Host: expected one/)),
  asks("a sale with two Hosts is not stored", (n) => postSale(n, [json, "Host: other"]), oneHost),
  asks("three Hosts get 400", () => get("/items/store/5", ["Host: a", "Host: b"]), oneHost),
  ...["", " a/b@c", ` ${"h".repeat(5000)}`].map((host) =>
    asks(
      `the Host ${host.slice(0, 10)} gets no 5xx`,
      () => raw(["GET /health/live HTTP/1.1", `Host:${host}`]),
      ok([200, 400]),
    ),
  ),
];

// The system of these tests requires no keys: nothing else would stop a page of another site.
const formOfPage = "Content-Type: text/plain";
const foreign = /^expected no request of another site's page, got one of /;
const pages: readonly HttpCase[] = [
  ...[
    ["Origin: https://other.example"],
    ["Origin: null"],
    ["Origin: http://tally:3000"],
    ["Origin: https://other.example", "Sec-Fetch-Site: cross-site"],
    ["Sec-Fetch-Site: same-site"],
  ].flatMap((headers) => [
    asks(
      `a sale of a page with ${headers.join(", ")} gets 403`,
      (n) => postSale(n, [json, ...headers]),
      refused(403, foreign),
    ),
    asks(
      `a replay of a page with ${headers.join(", ")} gets 403`,
      () => post("/dead-letters/01a1fb30-2980-71ee-89cd-4f71757df440/replay", "", [formOfPage, ...headers]),
      refused(403, foreign),
    ),
    asks(
      `an album of a page with ${headers.join(", ")} gets 403 with msg`,
      () => post("/review/like/1", "", headers),
      refusedMsg(403, foreign),
    ),
    asks(`a read of a page with ${headers.join(", ")} is served`, () => get("/items/store/5", headers), ok(200)),
  ]),
  sells("a sale of the gateway's own page is stored", (n) => postSale(n, [json, "Origin: http://tally"])),
  sells("likewise with Sec-Fetch-Site", (n) =>
    postSale(n, [json, "Origin: http://tally", "Sec-Fetch-Site: same-origin"]),
  ),
];

const tooLong = refused(431, /^headers: expected at most 16384 bytes together/);
const types = refused(400, /^Content-Type: expected the header once, got 2/);
const others: readonly HttpCase[] = [
  asks(
    "2,000 short headers get 431",
    (n) => postSale(n, [json, ...Array<string>(2000).fill("a:")]),
    refused(431, /^headers: expected at most /),
  ),
  asks(
    "101 headers get 431",
    () => get("/health/live", Array<string>(100).fill("A: b")),
    refused(431, /^headers: expected at most 100$/),
  ),
  asks("headers of 20 kB get 431", () => get("/health/live", [`X-Long: ${"x".repeat(20_000)}`]), tooLong),
  asks(
    "many headers of 20 kB together get 431",
    () =>
      get(
        "/health/live",
        Array.from({ length: 200 }, (_, n) => `X-${n}: ${"x".repeat(100)}`),
      ),
    refused(431, /^headers: /),
  ),
  asks("a header name of 20 kB gets 431", () => get("/health/live", [`${"x".repeat(20_000)}: 1`]), tooLong),
  ...["200-ok", "100-continued", "everything", "x".repeat(1000)].map((value) =>
    asks(
      `Expect: ${value.slice(0, 30)} gets 417`,
      (n) => postSale(n, [json, `Expect: ${value}`]),
      refused(417, new RegExp(`^Expect: expected 100-continue, got "${value.slice(0, 30)}`)),
    ),
  ),
  asks(
    "another Expect below /albums gets 417 with msg",
    () => get("/albums/top", ["Expect: x"]),
    refusedMsg(417, /^Expect: /),
  ),
  stores(
    "Connection: close closes after the response",
    (n) => postSale(n, [json, "Connection: close"]),
    { ...created, headers: { connection: /^close$/ } },
    sale,
  ),
  ...[json, "content-type: text/plain"].flatMap((other) => [
    asks(`two Content-Types are rejected: JSON, then ${other}`, (n) => postSale(n, [json, other]), types),
    asks(`two Content-Types are rejected: JSON after ${other}`, (n) => postSale(n, [other, json]), types),
  ]),
  asks(
    "two Content-Types below /albums are rejected with msg",
    () => post("/albums", "{}", [json, "Content-Type: multipart/form-data; boundary=x"]),
    refusedMsg([400, 415], /^Content-Type: /),
  ),
  asks("an unused password changes nothing", () => get("/items/store/5", ["Authorization: Basic Ojo6"]), ok(200)),
  sells(
    "h2c upgrade headers leave the connection open for requests of any kind",
    (n) => Array.from({ length: 2 }, () => post(salePath(n), saleBody, [json, ...upgrade])),
    2,
  ),
];

/** Header fields. */
export const headerFields: readonly HttpCase[] = [...rejectedLines, ...acceptedLines, ...hosts, ...pages, ...others];
