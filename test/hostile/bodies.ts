import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { albumCreated, asks, bad, bulkOk, created, rejected, rejectedMsg, stores } from "../http/cases.ts";
import { shown, type HttpCase } from "../http/cases.ts";
import { albumForm, entry, formType, json, post, put, saleBody, salePath } from "../http/requests.ts";
import { album, sale } from "../http/stored.ts";

/* Content types, bytes, texts and compression of bodies. */

const storedAs = (name: string, body: string | Buffer, headers?: readonly string[]): HttpCase =>
  stores(`${name} is stored`, (n) => post(salePath(n), body, headers), created, sale);
const typed = (type: string, status: number | readonly number[], text: RegExp): HttpCase =>
  asks(
    `the type ${shown(type)}`,
    (n) => post(salePath(n), saleBody, [`Content-Type: ${type}`]),
    rejected(status, text),
  );

const types: readonly HttpCase[] = [
  storedAs("a body without a Content-Type", saleBody, []),
  storedAs("a body with an empty Content-Type", saleBody, ["Content-Type:"]),
  asks("a PUT with an empty Content-Type", (n) => put(`/items/${n}`, '{"name":"Tea"}', ["Content-Type:"]), {
    status: 200,
  }),
  ...["APPLICATION/JSON", "application/json; a=b; CHARSET = us-ascii"].map((type) =>
    storedAs(`a Content-Type of ${type}`, saleBody, [`Content-Type: ${type}`]),
  ),
  storedAs("a Content-Type of application/vnd.shop+json", saleBody, ["Content-Type: application/vnd.shop+json"]),
  ...["utf-16", "utf-8; charset=utf-16"].map((charset) =>
    typed(`application/json; charset=${charset}`, 415, /^Content-Type: expected charset=utf-8, got "application/),
  ),
  ...["text/plain", "multipart/form-data; boundary=x"].map((type) =>
    typed(type, 415, /^Content-Type: expected application\/json/),
  ),
  typed("json", 415, /^Content-Type: expected the type of a body/),
  ...["*/*", "application/json, text/plain", "\xff\xfe"].map((type) =>
    typed(type, [400, 415], /^Content-Type: expected/),
  ),
  typed("application/x-ndjson", [400, 415], /^(Content-Type|body): expected/),
];

const withId = (...bytes: readonly number[]): Buffer =>
  Buffer.from(saleBody.replace("85571", Buffer.from(bytes).toString("latin1")), "latin1");
const items = (item: string, count: number): string => `{"items":[${Array<string>(count).fill(item).join()}]}`;
const with1 = (found: string, replacement: string): string => saleBody.replace(found, replacement);
const item = '{"ItemID":1,"numberOfItems":1}';
const priced = (price: string): string => with1(":3", `:3,"unitPrice":${price}`);
const soldAt = (time: string): string => saleBody.replace(/}$/, `,"soldAt":${time}}`);
const deep = /^body: expected at most 64 levels/;
const once = /expected each key once/;

const badBodies: readonly HttpCase[] = (
  [
    [/^body: expected UTF-8/, [withId(0xff), withId(0xc0, 0x80), withId(0xe2, 0x82), withId(0xed, 0xa0, 0x80)]],
    [/^body: expected /, [Buffer.from(`\ufeff${saleBody}`, "utf16le"), " \r\n\t ", "[".repeat(5000)]],
    [
      /^body: expected JSON/,
      [
        Buffer.from(saleBody, "utf16le"),
        with1(":", ":\0"),
        "{",
        '{"items":[{"ItemID":1,"numberOfItems":1},]}',
        `${saleBody}{}`,
        with1(":3", ":03"),
      ],
    ],
    [/^body: expected an object/, ["[]", "null", '"items"', "5", "true"]],
    [deep, ["[".repeat(5000) + "]".repeat(5000), `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`]],
    [/^items\[0\]\.ItemID: expected an integer/, [with1("85571", "85571\\u0000"), '{"items":[{"numberOfItems":1}]}']],
    [once, [with1('"ItemID"', '"Item\\u0049D":1,"ItemID"'), with1('{"items"', '{"items":[],"items"')]],
    [/^__proto__: expected no such field/, [with1('{"items"', '{"__proto__":{"items":[]},"items"')]],
    [/^items\[0\]\.price: expected no such field/, [with1('"ItemID"', '"price":1,"ItemID"')]],
    [/^items: expected a list of 1 to 500 items/, ["{}", '{"items":[]}', items(item, 501), items(item, 3000)]],
    [
      /^items\[0\]\.numberOfItems: expected an integer from 1 to 1000000/,
      ['{"items":[{"ItemID":1}]}', with1(":3", ":0"), with1(":3", ':"3"'), with1(":3", ":1000001")],
    ],
    [/^items\[0\]: expected one of/, [with1(":3", ':3,"numberOfItems:":3')]],
    [/^items\[0\]\.unitPrice: expected an amount/, ["1.99", '"1.99999"', '"-1"'].map((price) => priced(price))],
    [
      /^items\[0\]\.discountAmount: expected /,
      [priced('"1","discountAmount":"3.01"'), priced('"1","discountAmount":1')],
    ],
    [/^soldAt: expected a time/, ['"9999-01-01T00:00:00Z"', '"2026-11-20T12:00:00"', "5"].map((at) => soldAt(at))],
  ] as const
).flatMap(([text, bodies]) =>
  bodies.map((body) => asks(`the body ${shown(body)}`, (n) => post(salePath(n), body), bad(text))),
);

const longBodies: readonly HttpCase[] = (
  [
    ["50,000 keys", `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":1`).join()}}`, [400, 413]],
    ["a byte more than 1 MiB", `${" ".repeat(1024 * 1024)}1`, 413],
  ] as const
).map(([name, body, status]) => asks(name, (n) => post(salePath(n), body), rejected(status, /^(k0|items|body): /)));

export const bodies: readonly HttpCase[] = [
  ...types,
  ...badBodies,
  ...longBodies,
  storedAs("white space of JSON", saleBody.replaceAll(":", " :\t\r\n ")),
  storedAs("80 kB of white space", `${" ".repeat(80_000)}${saleBody}`),
  storedAs("the count under the key that the published model has", with1('"numberOfItems"', '"numberOfItems:"')),
  asks(
    "a body of 100 MB is rejected by its length, before it is read",
    (n) => Buffer.from(post(salePath(n), "{").toString().replace("Content-Length: 1\r", "Content-Length: 104857600\r")),
    rejected(413, /^body: too large/),
    { halfCloses: true },
  ),
];

const gzip = gzipSync(saleBody);
const encoded = (path: string, encoding: string, body: Buffer, type = json): Buffer =>
  post(path, body, [type, `Content-Encoding: ${encoding}`]);
const filled = Buffer.from(saleBody.padEnd(128 * 1024));
const codecs = [
  ["gzip", (bytes: Buffer) => gzipSync(bytes, { level: 1 })],
  ["br", (bytes: Buffer) => brotliCompressSync(bytes, { params: { 1: 1 } })],
  ["zstd", (bytes: Buffer) => zstdCompressSync(bytes)],
  ["identity", (bytes: Buffer) => bytes],
] as const;
// Compressed at import: between the requests it would block the other connections of this process.
const bombs = codecs
  .slice(0, 3)
  .map(([name, compress]) => [name, compress(Buffer.alloc(32 * 1024 * 1024, " "))] as const);
const tooLarge = rejected(413, /^body: /);

export const compressed: readonly HttpCase[] = [
  ...codecs.flatMap(([encoding, compress]) => [
    stores(
      `a body of the largest size as ${encoding} is stored`,
      (n) => encoded(salePath(n), encoding, compress(filled)),
      created,
      sale,
    ),
    asks(
      `a byte more as ${encoding} gets 413`,
      (n) => encoded(salePath(n), encoding, compress(Buffer.concat([filled, Buffer.from(" ")]))),
      tooLarge,
    ),
  ]),
  ...["deflate", "gzip, gzip"].map((encoding) =>
    asks(
      `Content-Encoding: ${encoding} is rejected`,
      (n) => encoded(salePath(n), encoding, gzip),
      rejected(415, new RegExp(`^Content-Encoding: expected one of gzip, br, zstd, identity, got "${encoding}"$`)),
    ),
  ),
  ...(
    [
      ["gzip", Buffer.from(saleBody)],
      ["br", Buffer.from(`!!${saleBody}`)],
      ["zstd", gzip],
      ["gzip", gzip.subarray(0, -12)],
      ["gzip", Buffer.concat([gzip.subarray(0, -8), Buffer.alloc(8)])],
      ["gzip", Buffer.alloc(0)],
      ["gzip", Buffer.concat([gzip, Buffer.from("garbage")])],
      ["gzip", Buffer.concat([gzip, gzipSync("{}")])],
    ] as const
  ).map(([encoding, body], index) =>
    asks(
      `broken ${encoding} (${index}) is rejected`,
      (n) => encoded(salePath(n), encoding, body),
      bad(new RegExp(`^body: expected valid ${encoding}, got `)),
    ),
  ),
  ...bombs.map(([encoding, bomb]) =>
    asks(`a bomb of ${encoding}`, (n) => encoded(salePath(n), encoding, bomb), tooLarge),
  ),
  stores(
    "a bulk request over the limit of one sale is stored as brotli",
    (n) => {
      const long = entry(n, " ".repeat(100_000));
      return encoded("/purchases", "br", brotliCompressSync(`[${long},${long}]`));
    },
    bulkOk(201, 2),
    (n) => [sale(n), sale(n)],
  ),
  stores("an album as gzip", (n) => encoded("/albums", "gzip", gzipSync(albumForm(n)), formType), albumCreated, album),
  asks(
    "an album under an unknown encoding is rejected with msg",
    (n) => encoded("/albums", "deflate", deflateSync(albumForm(n)), formType),
    rejectedMsg(415, /^Content-Encoding: /),
  ),
];
