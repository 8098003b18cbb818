import { answered, chunked, created, get, json, post, raw, refused, type HostileCase } from "./hostile-case.ts";
import { postSale, sale, saleBody, salePath } from "./sample-requests.ts";

const live = answered(200, '{"status":"ok"}');
const broken = refused(400, /^(request|body|headers?|[A-Z][A-Za-z-]+): expected /);

const split = (bytes: Buffer): readonly Buffer[] => Array.from(bytes, (byte) => Buffer.of(byte));

/** Requests behind each other, in pieces, and cut off: each is answered once, in order. */
export const order: readonly HostileCase[] = [
  {
    name: "a byte more than Content-Length: the sale is answered, then the byte is refused",
    send: (n) => Buffer.concat([postSale(n), Buffer.from("}")]),
    halfCloses: true,
    expect: [created, broken],
    stores: (n) => [sale(n)],
  },
  {
    name: "two sales and garbage: both are answered, then the garbage is refused",
    send: (n) => Buffer.concat([postSale(n), postSale(n), Buffer.from("garbage\r\n\r\n")]),
    expect: [created, created, broken],
    stores: (n) => [sale(n), sale(n)],
  },
  {
    name: "twenty sales and garbage: all are answered in order",
    send: (n) => Buffer.concat([...Array.from({ length: 20 }, () => postSale(n)), Buffer.from("\0\0\0\0")]),
    expect: [...Array.from({ length: 20 }, () => created), broken],
    stores: (n) => Array.from({ length: 20 }, () => sale(n)),
  },
  {
    name: "a client that ends its sending side gets its response",
    send: (n) => postSale(n),
    halfCloses: true,
    expect: [created],
    stores: (n) => [sale(n)],
  },
  {
    name: "a client that pipelines and ends its sending side gets all responses",
    send: (n) => Buffer.concat([postSale(n), get("/health/live"), postSale(n)]),
    halfCloses: true,
    expect: [created, live, created],
    stores: (n) => [sale(n), sale(n)],
  },
  {
    name: "a client that ends within a body gets 400, and nothing is stored",
    send: (n) => postSale(n).subarray(0, -5),
    halfCloses: true,
    expect: [broken],
  },
  {
    name: "a client that ends within the headers gets 400",
    send: (n) => postSale(n).subarray(0, 60),
    halfCloses: true,
    expect: [broken],
  },
  {
    name: "a client that ends within the second request gets the first response",
    send: (n) => Buffer.concat([postSale(n), postSale(n).subarray(0, -5)]),
    halfCloses: true,
    expect: [created, broken],
    stores: (n) => [sale(n)],
  },
  {
    name: "a request byte by byte is stored",
    send: (n) => split(postSale(n)),
    expect: [created],
    stores: (n) => [sale(n)],
  },
  {
    name: "a request in chunks of one byte is stored",
    send: (n) => chunked(salePath(n), Array.from(saleBody)),
    expect: [created],
    stores: (n) => [sale(n)],
  },
  {
    name: "fifty pipelined requests are answered in order",
    send: () =>
      Buffer.concat(Array.from({ length: 50 }, (_, index) => get(index % 2 === 0 ? "/health/live" : "/nowhere"))),
    expect: Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? live : refused(404, /^no such path/))),
  },
  {
    name: "a refused body does not disturb the next request",
    send: (n) => Buffer.concat([post(salePath(n), "{"), postSale(n)]),
    expect: [refused(400, /^body: expected JSON/), created],
    stores: (n) => [sale(n)],
  },
  {
    name: "a HEAD among others has no body",
    send: () =>
      Buffer.concat([get("/health/live"), raw(["HEAD /health/live HTTP/1.1", "Host: tally"]), get("/health/live")]),
    expect: [live, { status: 200, method: "HEAD" }, live],
  },
  {
    name: "a sale behind Connection: close is not read",
    send: (n) => Buffer.concat([postSale(n, [json, "Connection: close"]), postSale(n)]),
    expect: [created],
    stores: (n) => [sale(n)],
  },
  {
    name: "an Upgrade header without Connection: Upgrade changes nothing for the requests behind it",
    send: (n) => Buffer.concat([postSale(n, [json, "Upgrade: h2c"]), postSale(n), postSale(n)]),
    expect: [created, created, created],
    stores: (n) => [sale(n), sale(n), sale(n)],
  },
  {
    name: "an offer of HTTP/2 is not taken, and what follows in the same write is neither answered nor stored",
    send: (n) => Buffer.concat([postSale(n, [json, "Connection: Upgrade", "Upgrade: h2c"]), postSale(n)]),
    expect: [{ ...created, headers: { connection: /^close$/ } }],
    stores: (n) => [sale(n)],
  },
  {
    name: "a POST with a length of 0 needs its body",
    send: (n) => post(salePath(n), ""),
    expect: [refused(400, /^body: expected an object/)],
  },
];
