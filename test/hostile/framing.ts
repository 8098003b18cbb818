import { answered, created, get, json, post, raw, refused, type HostileCase } from "./hostile-case.ts";
import { postSale, sale, saleBody, salePath, steps, stepsPath } from "./sample-requests.ts";

const live = answered(200, '{"status":"ok"}');
const broken = refused(400, /^(request|body|headers?|[A-Z][A-Za-z-]+): expected /);

const lengths: readonly HostileCase[] = [
  ["twice the same", `Content-Length: ${saleBody.length}\r\nContent-Length: ${saleBody.length}`],
  ["twice and different", `Content-Length: ${saleBody.length}\r\nContent-Length: 1`],
  ["as a list", `Content-Length: ${saleBody.length}, ${saleBody.length}`],
  ["negative", "Content-Length: -1"],
  ["with a plus", `Content-Length: +${saleBody.length}`],
  ["in hexadecimal", "Content-Length: 0x30"],
  ["as a fraction", `Content-Length: ${saleBody.length}.0`],
  ["with an exponent", "Content-Length: 4e1"],
  ["with a space within", "Content-Length: 4 8"],
  ["empty", "Content-Length:"],
  ["a word", "Content-Length: all"],
  ["beyond 64 bits", "Content-Length: 99999999999999999999999"],
  ["in other digits", "Content-Length: \xd9\xa4\xd9\xa8"],
  ["with a NUL", `Content-Length: ${saleBody.length}\0`],
].map(([name = "", line = ""]) => ({
  name: `a Content-Length that is ${name} is answered 400`,
  send: (n: number) => raw([`POST ${salePath(n)} HTTP/1.1`, "Host: tally", json, line], saleBody),
  halfCloses: true,
  expect: [broken],
}));

const sizeOf = saleBody.length.toString(16);
const whole = `${sizeOf}\r\n${saleBody}\r\n0\r\n\r\n`;
const withEncoding = (n: number, lines: readonly string[], body = whole, version = "1.1"): Buffer =>
  raw([`POST ${salePath(n)} HTTP/${version}`, "Host: tally", json, ...lines], body);

const encodings: readonly HostileCase[] = [
  ["beside a Content-Length", [`Content-Length: ${whole.length}`, "Transfer-Encoding: chunked"]],
  ["in front of a Content-Length", ["Transfer-Encoding: chunked", "Content-Length: 4"]],
  ["that is not chunked", ["Transfer-Encoding: xchunked"]],
  ["of identity", ["Transfer-Encoding: identity"]],
  ["that does not end with chunked", ["Transfer-Encoding: chunked, identity"]],
  ["of chunked twice", ["Transfer-Encoding: chunked, chunked"]],
  ["in two headers", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]],
  ["in two headers, one of them unknown", ["Transfer-Encoding: chunked", "Transfer-Encoding: x"]],
  ["with a space in front of its colon", ["Transfer-Encoding : chunked"]],
  ["with a vertical tab", ["Transfer-Encoding:\x0bchunked"]],
  ["in quotes", ['Transfer-Encoding: "chunked"']],
  ["of gzip alone", ["Transfer-Encoding: gzip"]],
  ["of gzip and chunked", ["Transfer-Encoding: gzip, chunked"]],
].map(([name, lines]) => ({
  name: `a Transfer-Encoding ${String(name)} is answered 400`,
  send: (n: number) => withEncoding(n, [lines ?? []].flat()),
  halfCloses: true,
  expect: [broken],
}));

const badChunks: readonly HostileCase[] = [
  ["a size that is no number", `zz\r\n${saleBody}\r\n0\r\n\r\n`],
  ["a negative size", `-5\r\n${saleBody}\r\n0\r\n\r\n`],
  ["a size with 0x", `0x${sizeOf}\r\n${saleBody}\r\n0\r\n\r\n`],
  ["no size", `\r\n${saleBody}\r\n0\r\n\r\n`],
  ["a size of 17 digits", `11111111111111111\r\n${saleBody}\r\n0\r\n\r\n`],
  ["a size that is too small", `5\r\n${saleBody}\r\n0\r\n\r\n`],
  ["lines that end with LF", `${sizeOf}\n${saleBody}\n0\n\n`],
  ["no end of line behind its bytes", `${sizeOf}\r\n${saleBody}0\r\n\r\n`],
  ["no last chunk", `${sizeOf}\r\n${saleBody}\r\n`],
  ["half a last chunk", `${sizeOf}\r\n${saleBody}\r\n0\r\n`],
  ["fewer bytes than its size", `ff\r\n${saleBody}`],
  ["a broken trailer", `${sizeOf}\r\n${saleBody}\r\n0\r\nX Trailer: 1\r\n\r\n`],
].map(([name = "", body = ""]) => ({
  name: `a chunk with ${name} is answered 400 and stores nothing`,
  send: (n: number) => withEncoding(n, ["Transfer-Encoding: chunked"], body),
  halfCloses: true,
  expect: [broken],
}));

const goodChunks: readonly HostileCase[] = [
  ["a size with zeros in front", `000${sizeOf}\r\n${saleBody}\r\n0\r\n\r\n`],
  ["a size in capitals", `${sizeOf.toUpperCase()}\r\n${saleBody}\r\n0\r\n\r\n`],
  ["an extension", `${sizeOf};name=value\r\n${saleBody}\r\n0\r\n\r\n`],
  ["an extension in quotes", `${sizeOf};name="a;b"\r\n${saleBody}\r\n0\r\n\r\n`],
  ["a trailer", `${sizeOf}\r\n${saleBody}\r\n0\r\nX-Trailer: 1\r\n\r\n`],
  ["a trailer that names a key", `${sizeOf}\r\n${saleBody}\r\n0\r\nIdempotency-Key: late\r\n\r\n`],
].map(([name = "", body = ""]) => ({
  name: `a chunk with ${name} is stored`,
  send: (n: number) => withEncoding(n, ["Transfer-Encoding: chunked"], body),
  expect: [created],
  stores: (n: number) => [sale(n)],
}));

const smuggling: readonly HostileCase[] = [
  {
    name: "CL.TE: what follows the last chunk is no request",
    send: (n) =>
      Buffer.concat([withEncoding(n, ["Content-Length: 6", "Transfer-Encoding: chunked"], "0\r\n\r\n"), postSale(n)]),
    expect: [broken],
  },
  {
    name: "TE.CL: a sale within a chunk is no request",
    send: (n) =>
      withEncoding(
        n,
        ["Content-Length: 4", "Transfer-Encoding: chunked"],
        `5c\r\n${postSale(n).toString()}\r\n0\r\n\r\n`,
      ),
    expect: [broken],
  },
  {
    name: "a sale within the body of a GET is no request",
    send: (n) =>
      raw(["GET /health/live HTTP/1.1", "Host: tally", `Content-Length: ${postSale(n).length}`], postSale(n)),
    expect: [live],
  },
  {
    name: "a sale within the body of steps is no request",
    send: (n) => post(stepsPath(n), postSale(n), []),
    expect: [answered(200, "accepted")],
    stores: (n) => [steps(n)],
  },
  {
    name: "a sale within a header's value is no request",
    send: (n) => get("/health/live", [`X-Header: ${postSale(n).toString().replaceAll("\r\n", " ")}`]),
    expect: [live],
  },
  {
    name: "chunks of HTTP/1.0 are read, and the connection closes",
    send: (n) => withEncoding(n, ["Transfer-Encoding: chunked"], whole, "1.0"),
    expect: [{ ...created, headers: { connection: /^close$/ } }],
    stores: (n) => [sale(n)],
  },
  {
    name: "an extension of 20 kB is refused",
    send: (n) =>
      withEncoding(n, ["Transfer-Encoding: chunked"], `${sizeOf};${"x".repeat(20_000)}\r\n${saleBody}\r\n0\r\n\r\n`),
    expect: [refused([400, 413, 431], /./)],
  },
  {
    name: "a trailer of 20 kB is refused",
    send: (n) =>
      withEncoding(
        n,
        ["Transfer-Encoding: chunked"],
        `${sizeOf}\r\n${saleBody}\r\n0\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      ),
    expect: [refused([400, 413, 431], /./)],
  },
];

/** Framing: lengths, chunks, pipelines, and what could be taken for a second request. */
export const framing: readonly HostileCase[] = [...lengths, ...encodings, ...badChunks, ...goodChunks, ...smuggling];
