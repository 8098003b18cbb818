import {
  asks,
  created,
  get,
  live,
  noSuchPath,
  raw,
  refused,
  refusedMsg,
  stores,
  type HttpCase,
} from "../http/http-case.ts";
import { postSale, sale, sells, steps, stepsAccepted, stepsPath } from "../http/sample-requests.ts";

const bytes = (text: string) => (): Buffer => Buffer.from(text, "latin1");
const notHttp = refused(400, /^request: expected HTTP\/1\.1/);

/** First bytes that are not HTTP/1.1. */
const garbage: readonly HttpCase[] = [
  ["words", "this is no HTTP\r\n\r\n"],
  ["a method in lower case", "get /health/live HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a method that no standard has", "FETCH /health/live HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a method with a control character", "GE\x01T /health/live HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["no target", "GET  HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["HTTP/1.2", "GET /health/live HTTP/1.2\r\nHost: tally\r\n\r\n"],
  ["HTTP/1.1 in lower case", "GET /health/live http/1.1\r\nHost: tally\r\n\r\n"],
  ["a word behind the version", "GET /health/live HTTP/1.1 now\r\nHost: tally\r\n\r\n"],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a space in the target", "GET /items/store/5 6 HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a NUL in the target", "GET /items/store/5\0 HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a control character in the target", "GET /items/store/5\x01 HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a target without a slash", "GET items/store/5 HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a CR alone as the end of a line", "GET /health/live HTTP/1.1\rHost: tally\r\r\n\r\n"],
  ["a greeting of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
  ["bytes of zero", "\0".repeat(100)],
  ["a response", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
  ["a command of Redis", "*1\r\n$4\r\nPING\r\n"],
  ["the header of AMQP", "AMQP\0\0\x09\x01"],
].map(([name = "", text = ""]) => asks(`${name} gets 400`, bytes(text), notHttp));

const request =
  (method: string, path: string, headers: readonly string[] = []): (() => Buffer) =>
  () =>
    raw([`${method} ${path} HTTP/1.1`, "Host: tally", ...headers]);

/** A path that exists, with a method that it does not have. */
const methods: readonly HttpCase[] = (
  [
    ["GET", "/swipe/left", "POST"],
    ["GET", "/purchase/5/customer/1/date/20261120", "POST"],
    ["GET", "/skiers/liftrides", "POST"],
    ["POST", "/items/store/5", "GET, HEAD"],
    ["POST", "/matches/5", "GET, HEAD"],
    ["POST", "/health/live", "GET, HEAD"],
    ["PUT", "/purchase/5/customer/1/date/20261120", "POST"],
    ["PUT", "/purchases", "GET, HEAD, POST"],
    ["PATCH", "/swipe/left", "POST"],
    ["DELETE", "/stats/5", "GET, HEAD"],
    ["DELETE", "/steps/current/5", "GET, HEAD"],
    ["DELETE", "/purchases?storeID=1", "GET, HEAD, POST"],
    ["OPTIONS", "/swipe/left", "POST"],
    ["OPTIONS", "//purchases/", "GET, HEAD, POST"],
    ["TRACE", "/items/store/5", "GET, HEAD"],
    ["PROPFIND", "/health/live", "GET, HEAD"],
    ["PUT", "/albums", "POST"],
    ["PATCH", "/shop_war/albums", "POST"],
    ["DELETE", "/albums/5", "GET, HEAD"],
    ["GET", "/review/like/5", "POST"],
  ] as const
).map(([method, path, allow]) => {
  const refusal = /albums|review/.test(path) ? refusedMsg : refused;
  return asks(`${method} ${path} gets 405 with Allow: ${allow}`, request(method, path, ["Content-Length: 0"]), {
    ...refusal(405, new RegExp(`^method: expected ${allow.replaceAll(", ", " or ")}, got ${method}$`)),
    headers: { allow: new RegExp(`^${allow}$`) },
  });
});

const connect = { ...refused(405, /^CONNECT: this is no proxy/), headers: { allow: /^GET, HEAD, POST$/ } };
const closes = { connection: /^close$/ };

/** Request lines that are valid and unusual. */
const unusual: readonly HttpCase[] = [
  asks("an unknown path gets 404 without Allow", request("PUT", "/purchase"), {
    ...noSuchPath,
    headers: { allow: /^none$/ },
  }),
  asks("CONNECT gets 405", request("CONNECT", "tally:80"), connect),
  asks("CONNECT to a path gets 400 or 405", request("CONNECT", "/items/store/5"), refused([400, 405], /./)),
  stores(
    "CONNECT behind a sale gets 405 after the sale's response, and no tunnel",
    (n) => Buffer.concat([postSale(n), raw(["CONNECT a:443 HTTP/1.1", "Host: a:443"], "bytes of a tunnel")]),
    [created, connect],
    sale,
  ),
  asks("OPTIONS * is rejected", request("OPTIONS", "*"), refused([400, 404, 405], /./)),
  asks("a HEAD has no body", request("HEAD", "/items/store/5"), { status: 200, method: "HEAD" }),
  asks("a rejected HEAD has no body", request("HEAD", "/items/store/abc"), { status: 400, method: "HEAD" }),
  asks("a HEAD of a POST's path gets 405 without a body", request("HEAD", "/swipe/left"), {
    status: 405,
    method: "HEAD",
  }),
  asks("lines without CR get 400", bytes("GET /health/live HTTP/1.1\nHost: tally\n\n"), refused(400, /^request/)),
  asks("an empty line before a request is skipped", () => Buffer.concat([bytes("\r\n")(), get("/health/live")]), live),
  asks("HTTP/1.0 needs no Host, and the connection closes", bytes("GET /health/live HTTP/1.0\r\n\r\n"), {
    ...live,
    headers: closes,
  }),
  asks(
    "a request without a version is served or rejected, and the connection closes",
    bytes("GET /health/live\r\n\r\n"),
    {
      status: [200, 400],
      headers: closes,
    },
  ),
  asks("a target in absolute form leads to its path or is rejected", request("GET", "http://tally/health/live"), {
    status: [200, 400, 404],
  }),
  asks("a target of 20 kB is rejected", request("GET", `/items/store/${"5".repeat(20_000)}`), refused([414, 431], /./)),
  asks("a target of 12 kB is rejected", request("GET", `/items/store/${"5".repeat(12_000)}`), refused([400, 414], /./)),
  asks(
    "a query of 12 kB is rejected",
    request("GET", `/items/store/5?${"a".repeat(12_000)}`),
    refused([400, 414], /./),
  ),
  asks(
    "letters beyond ASCII in a target are rejected",
    request("GET", "/matches/\xc3\xa9"),
    refused(400, /^(request|userID)/),
  ),
  asks(
    "the chunks of a GET are ignored",
    () => raw(["GET /health/live HTTP/1.1", "Host: tally", "Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\n\r\n"),
    live,
  ),
  asks("a connection without a byte is closed without a response", bytes(""), [], { halfCloses: true }),
  stores(
    "steps without a Content-Length are stored",
    (n) => raw([`POST ${stepsPath(n)} HTTP/1.1`, "Host: tally"]),
    stepsAccepted,
    steps,
  ),
  asks("metrics are not on the public port", request("GET", "/metrics"), noSuchPath),
  asks("readiness is not on the public port", request("GET", "/health/ready"), noSuchPath),
  asks("an unknown path gets 404", request("GET", "/nowhere"), refused(404, /^no such path: GET \/nowhere/)),
  ...[
    "GET /albums/5 HTTP/1.1\r\nHost : tally\r\n\r\n",
    "POST /albums HTTP/1.1\r\nHost: tally\r\nContent-Length: x\r\n\r\n",
    "POST /shop_war//albums HTTP/1.1\r\nHost: tally\r\nContent-Length: x\r\n\r\n",
    "POST /review/like/5 HTTP/1.1\r\nHost: tally\r\nContent-Length: x\r\n\r\n",
    "GET /review/1 HTTP/1.2\r\n\r\n",
    "POST /albums HTTP/1.1\r\nHost: tally\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    `GET /albums/1 HTTP/1.1\r\nHost: tally\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
  ].map((text) =>
    asks(`malformed: ${JSON.stringify(text.slice(0, 80))} gets msg`, bytes(text), refusedMsg([400, 431], /expected/)),
  ),
  asks(
    "a malformed request of the albums behind another request gets msg",
    () =>
      Buffer.concat([
        get("/health/live"),
        Buffer.from("POST /review/like/1 HTTP/1.1\r\nHost: tally\r\nA B: c\r\n\r\n"),
      ]),
    [live, refusedMsg(400, /expected/)],
  ),
  sells("a sale with a lower-case header name and no spaces is stored", (n) =>
    Buffer.from(postSale(n).toString().replace("Host: tally", "host:tally")),
  ),
];

/** Request lines and methods. */
export const requestLines: readonly HttpCase[] = [...garbage, ...methods, ...unusual];
