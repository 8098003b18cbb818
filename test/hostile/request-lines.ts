import { answered, created, get, raw, refused, refusedMsg, type HostileCase } from "./hostile-case.ts";
import { postSale, sale, stepsPath } from "./sample-requests.ts";

const notHttp = refused(400, /^request: expected HTTP\/1\.1/);
const live = answered(200, '{"status":"ok"}');

/** First bytes that no HTTP server can take. */
const garbage: readonly HostileCase[] = [
  ["words", "this is no HTTP\r\n\r\n"],
  ["a method in lower case", "get /health/live HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a method that no standard has", "FETCH /health/live HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a method with a control character", "GE\x01T /health/live HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["no target", "GET  HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["HTTP/1.2", "GET /health/live HTTP/1.2\r\nHost: tally\r\n\r\n"],
  ["HTTP/9.9", "GET /health/live HTTP/9.9\r\nHost: tally\r\n\r\n"],
  ["HTTP/1.1 in lower case", "GET /health/live http/1.1\r\nHost: tally\r\n\r\n"],
  ["a word behind the version", "GET /health/live HTTP/1.1 now\r\nHost: tally\r\n\r\n"],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a space in the target", "GET /items/store/5 6 HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a NUL in the target", "GET /items/store/5\0 HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a control character in the target", "GET /items/store/5\x01 HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a target without a slash", "GET items/store/5 HTTP/1.1\r\nHost: tally\r\n\r\n"],
  ["a CR alone as the end of a line", "GET /health/live HTTP/1.1\rHost: tally\r\r\n\r\n"],
  ["the banner of SSH", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["a greeting of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
  ["bytes of zero", "\0".repeat(100)],
  ["bytes of 0xff", "\xff".repeat(100)],
  ["a response", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
  ["a command of Redis", "*1\r\n$4\r\nPING\r\n"],
  ["a command of SMTP", "EHLO tally\r\n"],
  ["the header of AMQP", "AMQP\0\0\x09\x01"],
].map(([name = "", bytes = ""]) => ({
  name: `${name} is answered 400`,
  send: () => Buffer.from(bytes, "latin1"),
  expect: [notHttp],
}));

const request =
  (method: string, path: string, headers: readonly string[] = []): (() => Buffer) =>
  () =>
    raw([`${method} ${path} HTTP/1.1`, "Host: tally", ...headers]);

const notAllowed = (allow: RegExp, key: "message" | "msg" = "message") => ({
  status: 405,
  error: { key, says: /^(method|[A-Z]+)\b/ },
  headers: { allow },
});

/** A path that exists, with a method that it does not have. */
const methods: readonly HostileCase[] = (
  [
    ["GET", "/swipe/left", /\bPOST\b/],
    ["GET", "/purchase/5/customer/1/date/20261120", /\bPOST\b/],
    ["GET", "/skiers/liftrides", /\bPOST\b/],
    ["POST", "/items/store/5", /\bGET\b/],
    ["POST", "/matches/5", /\bGET\b/],
    ["POST", "/health/live", /\bGET\b/],
    ["PUT", "/purchase/5/customer/1/date/20261120", /\bPOST\b/],
    ["PUT", "/purchases", /\bGET\b.*\bPOST\b|\bPOST\b.*\bGET\b/],
    ["PATCH", "/swipe/left", /\bPOST\b/],
    ["DELETE", "/stats/5", /\bGET\b/],
    ["DELETE", "/steps/current/5", /\bGET\b/],
    ["OPTIONS", "/swipe/left", /\bPOST\b/],
    ["TRACE", "/items/store/5", /\bGET\b/],
  ] as const
).map(([method, path, allow]) => ({
  name: `${method} ${path} is answered 405 with Allow`,
  send: request(method, path, ["Content-Length: 0"]),
  expect: [notAllowed(allow)],
}));

/** Request lines that are valid, and unusual. */
const unusual: readonly HostileCase[] = [
  {
    name: "PUT /albums is answered 405 with msg",
    send: request("PUT", "/albums", ["Content-Length: 0"]),
    expect: [notAllowed(/\bPOST\b/, "msg")],
  },
  {
    name: "DELETE /albums/5 is answered 405 with msg",
    send: request("DELETE", "/albums/5"),
    expect: [notAllowed(/\bGET\b/, "msg")],
  },
  {
    name: "GET /review/like/5 is answered 405 with msg",
    send: request("GET", "/review/like/5"),
    expect: [notAllowed(/\bPOST\b/, "msg")],
  },
  {
    name: "an unknown method of WebDAV is no 2xx",
    send: request("PROPFIND", "/items/store/5"),
    expect: [refused([404, 405], /./)],
  },
  { name: "CONNECT is answered", send: request("CONNECT", "tally:80"), expect: [refused([400, 405], /CONNECT/)] },
  {
    name: "CONNECT to a path of ours is answered",
    send: request("CONNECT", "/items/store/5"),
    expect: [refused([400, 405], /./)],
  },
  { name: "OPTIONS * is no 2xx", send: request("OPTIONS", "*"), expect: [refused([400, 404, 405], /./)] },
  { name: "a HEAD has no body", send: request("HEAD", "/items/store/5"), expect: [{ status: 200, method: "HEAD" }] },
  {
    name: "a HEAD that is refused has no body",
    send: request("HEAD", "/items/store/abc"),
    expect: [{ status: 400, method: "HEAD" }],
  },
  {
    name: "a HEAD of a POST's path is refused without a body",
    send: request("HEAD", "/swipe/left"),
    expect: [{ status: 405, method: "HEAD" }],
  },
  {
    name: "a line without CR is refused or read as a line",
    send: () => Buffer.from("GET /health/live HTTP/1.1\nHost: tally\n\n"),
    expect: [refused(400, /^request/)],
  },
  {
    name: "an empty line in front of a request is skipped",
    send: () => Buffer.concat([Buffer.from("\r\n"), get("/health/live")]),
    expect: [live],
  },
  {
    name: "HTTP/1.0 is answered, and the connection closes",
    send: () => Buffer.from("GET /health/live HTTP/1.0\r\n\r\n"),
    expect: [{ ...live, headers: { connection: /^close$/ } }],
  },
  {
    name: "a request without a version is answered, and the connection closes",
    send: () => Buffer.from("GET /health/live\r\n\r\n"),
    expect: [{ status: [200, 400], headers: { connection: /^close$/ } }],
  },
  {
    name: "a target in absolute form leads to its path or is refused",
    send: request("GET", "http://tally/health/live"),
    expect: [{ status: [200, 400, 404] }],
  },
  {
    name: "a target of 20 kB is refused",
    send: request("GET", `/items/store/${"5".repeat(20_000)}`),
    expect: [refused([414, 431], /./)],
  },
  {
    name: "a target of 12 kB is refused by its value",
    send: request("GET", `/items/store/${"5".repeat(12_000)}`),
    expect: [refused([400, 414], /./)],
  },
  {
    name: "a query of 12 kB is refused",
    send: request("GET", `/items/store/5?${"a".repeat(12_000)}`),
    expect: [refused([400, 414], /./)],
  },
  {
    name: "letters beyond ASCII in a target are refused",
    send: request("GET", "/matches/\xc3\xa9"),
    expect: [refused(400, /^(request|userID)/)],
  },
  {
    name: "a GET with a body is answered as without",
    send: () => raw(["GET /health/live HTTP/1.1", "Host: tally", "Content-Length: 5"], "hello"),
    expect: [live],
  },
  {
    name: "a GET with a body in chunks is answered as without",
    send: () =>
      raw(["GET /health/live HTTP/1.1", "Host: tally", "Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\n\r\n"),
    expect: [live],
  },
  {
    name: "a connection without a byte is closed without a response",
    send: () => Buffer.alloc(0),
    halfCloses: true,
    expect: [],
  },
  {
    name: "a sale below a path that is one slash too long is stored once",
    send: (n) => Buffer.from(postSale(n).toString().replace("/date/20261120", "/date/20261120/")),
    expect: [{ status: 201, body: "" }],
    stores: (n) => [sale(n)],
  },
  {
    name: "steps without a Content-Length are stored",
    send: (n) => raw([`POST ${stepsPath(n)} HTTP/1.1`, "Host: tally"]),
    expect: [answered(200, "accepted")],
    stores: (n) => [{ kind: "steps", user: n, day: 3, hour: 14, steps: 250 }],
  },
  {
    name: "metrics are not on the public port",
    send: request("GET", "/metrics"),
    expect: [refused(404, /^no such path/)],
  },
  {
    name: "readiness is not on the public port",
    send: request("GET", "/health/ready"),
    expect: [refused(404, /^no such path/)],
  },
  { name: "an empty path leads nowhere", send: request("GET", "/"), expect: [refused(404, /^no such path: GET \//)] },
  {
    name: "a sale behind a malformed request line is not read",
    send: (n) => Buffer.concat([Buffer.from("NONSENSE\r\n\r\n"), postSale(n)]),
    expect: [notHttp],
  },
  {
    name: "a malformed request below /albums is answered with msg",
    send: () => Buffer.from("GET /albums/5 HTTP/1.1\r\nHost : tally\r\n\r\n"),
    expect: [refusedMsg(400, /./)],
  },
  {
    name: "a malformed request below /review is answered with msg",
    send: () => Buffer.from("POST /review/like/5 HTTP/1.1\r\nHost: tally\r\nContent-Length: x\r\n\r\n"),
    expect: [refusedMsg(400, /./)],
  },
  {
    name: "a sale with a lower-case header name and no spaces is stored",
    send: (n) => Buffer.from(postSale(n).toString().replace("Host: tally", "host:tally")),
    expect: [created],
    stores: (n) => [sale(n)],
  },
];

/** Request lines and methods. */
export const requestLines: readonly HostileCase[] = [...garbage, ...methods, ...unusual];
