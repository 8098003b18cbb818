import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { formType } from "../form.ts";
import { created, json, post, raw, refused, refusedMsg, type HostileCase } from "./hostile-case.ts";
import { album, albumForm, entry, sale, saleBody, salePath } from "./sample-requests.ts";

const gzip = gzipSync(saleBody);
const encoded = (path: string, encoding: string, body: Buffer, type = json): Buffer =>
  post(path, body, [type, `Content-Encoding: ${encoding}`]);

const stored = (name: string, encoding: string, body: Buffer): HostileCase => ({
  name: `${name} is decoded and stored`,
  send: (n) => encoded(salePath(n), encoding, body),
  expect: [created],
  stores: (n) => [sale(n)],
});
const not = (name: string, status: number | readonly number[], encoding: string, body: Buffer): HostileCase => ({
  name: `${name} is refused`,
  send: (n) => encoded(salePath(n), encoding, body),
  expect: [refused(status, /^(Content-Encoding|body): /)],
});

const bombBytes = 32 * 1024 * 1024;
// Made when it is sent: only then it takes memory.
const bomb = (name: string, encoding: string, compress: (bytes: Buffer) => Buffer): HostileCase => ({
  name: `a bomb of ${name} is answered 413`,
  send: (n) => encoded(salePath(n), encoding, compress(Buffer.alloc(bombBytes, " "))),
  expect: [refused(413, /^body: /)],
});

/** Content-Encoding. */
export const compressed: readonly HostileCase[] = [
  stored("gzip", "gzip", gzip),
  stored("gzip in capitals", "GZIP", gzip),
  stored("brotli", "br", brotliCompressSync(saleBody)),
  stored("zstd", "zstd", zstdCompressSync(saleBody)),
  stored("identity", "identity", Buffer.from(saleBody)),
  not("deflate", 415, "deflate", deflateSync(saleBody)),
  not("raw deflate", 415, "deflate", deflateRawSync(saleBody)),
  not("compress", 415, "compress", gzip),
  not("an unknown encoding", 415, "x-own", gzip),
  not("aws-chunked", 415, "aws-chunked", Buffer.from(saleBody)),
  not("gzip twice", [400, 415], "gzip, gzip", gzipSync(gzip)),
  not("two encodings", [400, 415], "gzip, br", brotliCompressSync(gzip)),
  not("an encoding and an unknown one", 415, "gzip, nonsense", gzip),
  not("a body that is no gzip", 400, "gzip", Buffer.from(saleBody)),
  not("a body that is no brotli", 400, "br", Buffer.from(`!!${saleBody}`)),
  not("a body that is no zstd", 400, "zstd", Buffer.from(saleBody)),
  not("gzip under the name of zstd", 400, "zstd", gzip),
  not("half of a gzip", 400, "gzip", gzip.subarray(0, -12)),
  not("half of a brotli", 400, "br", brotliCompressSync(saleBody).subarray(0, -5)),
  not("half of a zstd", 400, "zstd", zstdCompressSync(saleBody).subarray(0, -5)),
  not("gzip with a wrong checksum", 400, "gzip", Buffer.concat([gzip.subarray(0, -8), Buffer.alloc(8)])),
  not("an empty body as gzip", 400, "gzip", Buffer.alloc(0)),
  not("garbage behind a gzip", 400, "gzip", Buffer.concat([gzip, Buffer.from("garbage")])),
  not("a second gzip behind the first", 400, "gzip", Buffer.concat([gzip, gzipSync("{}")])),
  not("gzip of a broken text", 400, "gzip", gzipSync("{")),
  not("gzip of bytes that are no UTF-8", 400, "gzip", gzipSync(Buffer.of(0x22, 0xff, 0x22))),
  bomb("gzip", "gzip", (bytes) => gzipSync(bytes, { level: 1 })),
  bomb("brotli", "br", (bytes) => brotliCompressSync(bytes, { params: { 1: 1 } })),
  bomb("zstd", "zstd", (bytes) => zstdCompressSync(bytes)),
  {
    name: "a bomb of gzip in chunks is answered 413",
    send(n) {
      const bytes = gzipSync(Buffer.alloc(bombBytes, " "), { level: 1 });
      const head = [
        `POST ${salePath(n)} HTTP/1.1`,
        "Host: tally",
        json,
        "Content-Encoding: gzip",
        "Transfer-Encoding: chunked",
      ];
      const end = Buffer.from("\r\n0\r\n\r\n");
      return raw(head, Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, end]));
    },
    expect: [refused(413, /^body: /)],
  },
  {
    name: "many sales as gzip are stored",
    send: (n) => encoded("/purchases", "gzip", gzipSync(`[${entry(n)},${entry(n)}]`)),
    expect: [{ status: 201, body: /"accepted":2,/ }],
    stores: (n) => [sale(n), sale(n)],
  },
  {
    name: "lines of sales as zstd are stored",
    send: (n) =>
      encoded(
        "/purchases",
        "zstd",
        zstdCompressSync(`${entry(n)}\n${entry(n)}\n`),
        "Content-Type: application/x-ndjson",
      ),
    expect: [{ status: 201, body: /"accepted":2,/ }],
    stores: (n) => [sale(n), sale(n)],
  },
  {
    name: "an album as gzip is stored",
    send: (n) => encoded("/albums", "gzip", gzipSync(albumForm(n)), formType),
    expect: [{ status: 200, body: /"imageSize":"67"/ }],
    stores: (n) => [album(n)],
  },
  {
    name: "an album under an unknown encoding is refused with msg",
    send: (n) => encoded("/albums", "deflate", deflateSync(albumForm(n)), formType),
    expect: [refusedMsg(415, /^Content-Encoding: /)],
  },
  {
    name: "a bomb as an album is answered 413 with msg",
    send: () => encoded("/albums", "gzip", gzipSync(Buffer.alloc(bombBytes), { level: 1 }), formType),
    expect: [refusedMsg(413, /^body: /)],
  },
];
