import { answered, created, get, json, raw, refused, refusedMsg, type HostileCase } from "./hostile-case.ts";
import { albumForm, postSale, sale } from "./sample-requests.ts";

const live = answered(200, '{"status":"ok"}');
const malformed = refused(400, /^(request|headers?|Host|[A-Za-z-]+): expected /);

const refusedLines: readonly HostileCase[] = [
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
  ["a DEL in a header's value", "X-Header: a\x7fb"],
  ["a header that is folded onto a second line", "X-Header: a\r\n b"],
].map(([name = "", line = ""]) => ({
  name: `${name} is answered 400`,
  send: () => get("/health/live", [line]),
  expect: [malformed],
}));

const takenLines: readonly HostileCase[] = [
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
  [
    "an upgrade to HTTP/2",
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
  ],
  ["80 headers", Array.from({ length: 80 }, (_, index) => `a${index % 10}:`).join("\r\n")],
].map(([name = "", line = ""]) => ({
  name: `${name} changes nothing`,
  send: (n: number) => postSale(n, [json, line]),
  expect: [created],
  stores: (n: number) => [sale(n)],
}));

const hosts: readonly HostileCase[] = [
  {
    name: "no Host is answered 400 with a body",
    send: () => raw(["GET /health/live HTTP/1.1"]),
    expect: [refused(400, /^Host: /)],
  },
  {
    name: "a sale without Host is not stored",
    send: (n) => Buffer.from(postSale(n).toString().replace("Host: tally\r\n", "")),
    expect: [refused(400, /^Host: /)],
  },
  {
    name: "an album without Host is answered with msg",
    send: (n) =>
      raw(
        [
          "POST /albums HTTP/1.1",
          "Content-Type: multipart/form-data; boundary=x",
          `Content-Length: ${albumForm(n).length}`,
        ],
        albumForm(n),
      ),
    expect: [refusedMsg(400, /^Host: /)],
  },
  {
    name: "two equal Hosts are answered 400",
    send: () => get("/health/live", ["Host: tally"]),
    expect: [refused(400, /^Host: /)],
  },
  {
    name: "two different Hosts are answered 400",
    send: () => get("/health/live", ["host: other"]),
    expect: [refused(400, /^Host: /)],
  },
  {
    name: "a sale with two Hosts is not stored",
    send: (n) => postSale(n, [json, "Host: other"]),
    expect: [refused(400, /^Host: /)],
  },
  {
    name: "three Hosts are answered 400",
    send: () => get("/items/store/5", ["Host: a", "Host: b"]),
    expect: [refused(400, /^Host: /)],
  },
  {
    name: "an empty Host is no 5xx",
    send: () => raw(["GET /health/live HTTP/1.1", "Host:"]),
    expect: [{ status: [200, 400] }],
  },
  {
    name: "a Host with a path is no 5xx",
    send: () => raw(["GET /health/live HTTP/1.1", "Host: a/b@c"]),
    expect: [{ status: [200, 400] }],
  },
  {
    name: "a Host of 5,000 characters is no 5xx",
    send: () => raw(["GET /health/live HTTP/1.1", `Host: ${"h".repeat(5000)}`]),
    expect: [{ status: [200, 400] }],
  },
];

const others: readonly HostileCase[] = [
  {
    name: "2,000 short headers are answered 431",
    send: (n) => postSale(n, [json, ...Array.from({ length: 2000 }, () => "a:")]),
    expect: [refused(431, /^headers: expected at most /)],
  },
  {
    name: "headers of 20 kB are answered 431",
    send: () => get("/health/live", [`X-Long: ${"x".repeat(20_000)}`]),
    expect: [refused(431, /^headers: expected at most 16384 bytes together/)],
  },
  {
    name: "many headers of 20 kB together are answered 431",
    send: () =>
      get(
        "/health/live",
        Array.from({ length: 200 }, (_, n) => `X-${n}: ${"x".repeat(100)}`),
      ),
    expect: [refused(431, /^headers: /)],
  },
  {
    name: "a header name of 20 kB is answered 431",
    send: () => get("/health/live", [`${"x".repeat(20_000)}: 1`]),
    expect: [refused(431, /^headers: /)],
  },
  {
    name: "Expect: 100-continue is answered and the sale is stored",
    send: (n) => postSale(n, [json, "Expect: 100-continue"]),
    expect: [created],
    stores: (n) => [sale(n)],
  },
  {
    name: "Expect: 100-Continue in other letters likewise",
    send: (n) => postSale(n, [json, "Expect: 100-Continue"]),
    expect: [created],
    stores: (n) => [sale(n)],
  },
  ...["200-ok", "100-continued", "everything", "x".repeat(1000)].map((expectation): HostileCase => ({
    name: `Expect: ${expectation.slice(0, 30)} is answered 417 with a body`,
    send: (n) => postSale(n, [json, `Expect: ${expectation}`]),
    expect: [refused(417, /^Expect: /)],
  })),
  {
    name: "another Expect below /albums is answered 417 with msg",
    send: () => get("/albums/top", ["Expect: x"]),
    expect: [refusedMsg(417, /^Expect: /)],
  },
  {
    name: "Connection: close closes after the response",
    send: (n) => postSale(n, [json, "Connection: close"]),
    expect: [{ ...created, headers: { connection: /^close$/ } }],
    stores: (n) => [sale(n)],
  },
  {
    name: "Connection: close on a GET closes",
    send: () => get("/health/live", ["Connection: close"]),
    expect: [{ ...live, headers: { connection: /^close$/ } }],
  },
  {
    name: "two equal Content-Types are refused",
    send: (n) => postSale(n, [json, json]),
    expect: [refused([400, 415], /^Content-Type: /)],
  },
  {
    name: "two different Content-Types are refused",
    send: (n) => postSale(n, [json, "Content-Type: text/plain"]),
    expect: [refused([400, 415], /^Content-Type: /)],
  },
  {
    name: "two different Content-Types are refused in the other order",
    send: (n) => postSale(n, ["Content-Type: text/plain", json]),
    expect: [refused([400, 415], /^Content-Type: /)],
  },
  {
    name: "two Content-Types below /albums are refused with msg",
    send: () =>
      raw(
        [
          "POST /albums HTTP/1.1",
          "Host: tally",
          json,
          "Content-Type: multipart/form-data; boundary=x",
          "Content-Length: 2",
        ],
        "{}",
      ),
    expect: [refusedMsg([400, 415], /^Content-Type: /)],
  },
  {
    name: "a password that has no use changes nothing",
    send: () => get("/items/store/5", ["Authorization: Basic Ojo6"]),
    expect: [answered(200)],
  },
];

/** Header fields. */
export const headerFields: readonly HostileCase[] = [...refusedLines, ...takenLines, ...hosts, ...others];
