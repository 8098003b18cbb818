import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { formType } from "../http/form.ts";
import { asks, chunked, json, ndjson, post, refused, refusedMsg, stores, type HttpCase } from "../http/http-case.ts";
import {
  album,
  albumCreated,
  albumForm,
  bulkOk,
  entry,
  sale,
  saleBody,
  salePath,
  sells,
} from "../http/sample-requests.ts";

const gzip = gzipSync(saleBody);
const brotli = brotliCompressSync(saleBody);
const zstd = zstdCompressSync(saleBody);
const encoded = (path: string, encoding: string, body: Buffer, type = json): Buffer =>
  post(path, body, [type, `Content-Encoding: ${encoding}`]);
const bodyBytesMax = 128 * 1024;
const filled = Buffer.from(saleBody.padEnd(bodyBytesMax));

const long = (n: number): string => entry(n, " ".repeat(100_000));

const codecs = [
  ["gzip", (bytes: Buffer) => gzipSync(bytes, { level: 1 })],
  ["br", (bytes: Buffer) => brotliCompressSync(bytes, { params: { 1: 1 } })],
  ["zstd", (bytes: Buffer) => zstdCompressSync(bytes)],
] as const;

// Compressed at import: between the requests it would block the other connections of this process.
const bombs = codecs.map(([encoding, compress]) => [encoding, compress(Buffer.alloc(32 * 1024 * 1024, " "))] as const);
const [, gzipBomb = gzip] = bombs[0] ?? [];

const perCodec = [...codecs, ["identity", (bytes: Buffer) => bytes] as const].flatMap(([encoding, compress]) => [
  sells(`a body of the largest size as ${encoding} is decoded and stored`, (n) =>
    encoded(salePath(n), encoding, compress(filled)),
  ),
  asks(
    `a body of a byte more as ${encoding} gets 413`,
    (n) => encoded(salePath(n), encoding, compress(Buffer.concat([filled, Buffer.from(" ")]))),
    refused(413, /^body: /),
  ),
]);

const unknown: readonly HttpCase[] = (
  [
    ["deflate", deflateSync(saleBody)],
    ["deflate", deflateRawSync(saleBody)],
    ["compress", gzip],
    ["x-own", gzip],
    ["none", Buffer.from(saleBody)],
    ["aws-chunked", Buffer.from(saleBody)],
    ["gzip, gzip", gzipSync(gzip)],
    ["gzip, br", brotliCompressSync(gzip)],
    ["br, identity", brotli],
    ["gzip, nonsense", gzip],
  ] as const
).map(([encoding, body], index) =>
  asks(
    `Content-Encoding: ${encoding} (${index}) is rejected`,
    (n) => encoded(salePath(n), encoding, body),
    refused(415, new RegExp(`^Content-Encoding: expected one of gzip, br, zstd, identity, got "${encoding}"$`)),
  ),
);

const broken: readonly HttpCase[] = (
  [
    ["a body that is no gzip", "gzip", Buffer.from(saleBody)],
    ["a body that is no brotli", "br", Buffer.from(`!!${saleBody}`)],
    ["a body that is no zstd", "zstd", Buffer.from(saleBody)],
    ["gzip under the name of zstd", "zstd", gzip],
    ["half of a gzip", "gzip", gzip.subarray(0, -12)],
    ["half of a brotli", "br", brotli.subarray(0, -5)],
    ["half of a zstd", "zstd", zstd.subarray(0, -5)],
    ["gzip with a wrong checksum", "gzip", Buffer.concat([gzip.subarray(0, -8), Buffer.alloc(8)])],
    ...(["gzip", "br", "zstd"] as const).map((encoding) => ["an empty body", encoding, Buffer.alloc(0)] as const),
    ["garbage behind a gzip", "gzip", Buffer.concat([gzip, Buffer.from("garbage")])],
    ["garbage behind a brotli", "br", Buffer.concat([brotli, Buffer.from("garbage")])],
    ["garbage behind a zstd", "zstd", Buffer.concat([zstd, Buffer.from("garbage")])],
    ["a second gzip behind the first", "gzip", Buffer.concat([gzip, gzipSync("{}")])],
  ] as const
).map(([name, encoding, body]) =>
  asks(
    `${name} as ${encoding} is rejected`,
    (n) => encoded(salePath(n), encoding, body),
    refused(400, new RegExp(`^body: expected valid ${encoding}, got `)),
  ),
);

/** Content-Encoding. */
export const compressed: readonly HttpCase[] = [
  ...perCodec,
  ...["GZIP", "X-GZIP"].map((encoding) =>
    sells(`${encoding} is decoded and stored`, (n) => encoded(salePath(n), encoding, gzip)),
  ),
  ...unknown,
  ...broken,
  ...Object.entries({ "a broken text": "{", "bytes that are no UTF-8": Buffer.of(0x22, 0xff, 0x22) }).map(
    ([what, body]) =>
      asks(`gzip of ${what} is rejected`, (n) => encoded(salePath(n), "gzip", gzipSync(body)), refused(400, /^body: /)),
  ),
  ...bombs.map(([encoding, bytes]) =>
    asks(`a bomb of ${encoding} gets 413`, (n) => encoded(salePath(n), encoding, bytes), refused(413, /^body: /)),
  ),
  asks(
    "a bomb of gzip in chunks gets 413",
    (n) => chunked(salePath(n), [gzipBomb], [json, "Content-Encoding: gzip"]),
    refused(413, /^body: /),
  ),
  stores(
    "a bulk request over the limit of one sale is stored as brotli",
    (n) => encoded("/purchases", "br", brotliCompressSync(`[${long(n)},${long(n)}]`)),
    bulkOk(201, 2),
    (n) => [sale(n), sale(n)],
  ),
  stores(
    "lines of sales as zstd are stored",
    (n) => encoded("/purchases", "zstd", zstdCompressSync(`${entry(n)}\n${entry(n)}\n`), ndjson),
    bulkOk(201, 2),
    (n) => [sale(n), sale(n)],
  ),
  stores(
    "an album as gzip is stored",
    (n) => encoded("/albums", "gzip", gzipSync(albumForm(n)), formType),
    albumCreated,
    album,
  ),
  asks(
    "an album under an unknown encoding is rejected with msg",
    (n) => encoded("/albums", "deflate", deflateSync(albumForm(n)), formType),
    refusedMsg(415, /^Content-Encoding: /),
  ),
  asks(
    "a bomb as an album gets 413 with msg",
    () => encoded("/albums", "gzip", gzipBomb, formType),
    refusedMsg(413, /^body: /),
  ),
];
