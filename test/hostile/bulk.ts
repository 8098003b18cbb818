import {
  asks,
  chunked,
  created,
  inTurn,
  keyed,
  ndjson,
  ok,
  post,
  refused,
  stores,
  type HttpCase,
} from "../http/http-case.ts";
import { bulkOk, entry, postSale, sale, saleOf4, salePath } from "../http/sample-requests.ts";

const many = (n: number, count: number) => Array.from({ length: count }, () => sale(n));
const list = (...entries: readonly string[]): string => `[${entries.join()}]`;
const counts = /^body: expected (1 to|at most) 1000 entries/;

const wholes: readonly HttpCase[] = (
  [
    ["an empty list", "[]", /^body: expected 1 to 1000 entries/],
    ["null", "null", /^body: expected a JSON array/],
    ["nothing", "", /^body: expected /],
    ["no lines", "\n\r\n \n", /^body: expected 1 to 1000 entries/, ndjson],
    ["1,001 entries", list(...Array<string>(1001).fill("1")), counts],
    ["1,001 lines", "1\n".repeat(1001), counts, ndjson],
    ["400,000 lines of one digit", "1\n".repeat(400_000), counts, ndjson],
    ["a list that does not end", `[${entry(1)}`, /^body: expected JSON/],
  ] as const
).map(([name, body, text, type]) =>
  asks(
    `${name} as a bulk request is rejected`,
    () => post("/purchases", body, type === undefined ? undefined : [type]),
    refused(400, text),
  ),
);

const template = entry(0).replace('"storeID":0', '"storeID":N');
const keyOf = (key: string): string => template.replace(/}$/, `,"idempotencyKey":${key}}`);
const badKey = /idempotencyKey: expected 1 to 255 visible ASCII characters, got /;
const entries: readonly HttpCase[] = (
  [
    ["a number", "5", /body: expected an object/],
    ["an empty object", "{}", /storeID: expected an integer/],
    ["a text of 500 kB", `"${"x".repeat(500_000)}"`, /body: expected /],
    ["storeID -1", template.replace(":N", ":-1"), /storeID: expected an integer/],
    ["storeID 1e400", template.replace(":N", ":1e400"), /storeID: expected an integer(?![^}]*got null)/],
    ["custID x", template.replace('"custID":1', '"custID":"x"'), /custID: expected an integer/],
    ["an unknown field", template.replace('"custID":1', '"custID":1,"price":1'), /price: expected no such field/],
    ["__proto__", template.replace('"custID":1', '"custID":1,"__proto__":1'), /__proto__: expected no such field/],
    ["no items", template.replace(/"items":.*$/, '"items":[]}'), /items: expected a list/],
    ["a count of 0", template.replace(":3", ":0"), /items\[0\]\.numberOfItems: expected an integer/],
    ["an empty key", keyOf('""'), badKey],
    ["a key of 256 characters", keyOf(`"${"k".repeat(256)}"`), badKey],
    ["a key with a space", keyOf('"a b"'), badKey],
    ["a key with a line end", keyOf(String.raw`"a\n"`), badKey],
    ["a key beyond ASCII", keyOf('"ü"'), badKey],
    ["a key of half a surrogate", keyOf(String.raw`"\ud800"`), badKey],
    ["a key that is a number", keyOf("5"), /idempotencyKey: expected /],
    ["a key that is null", keyOf("null"), /idempotencyKey: expected /],
    ...['"20260230"', '"٢٠٢٦١١٢٠"', "1e400", "20261120.5", "null", "[20261120]"].map(
      (date) =>
        [`the date ${date}`, template.replace('"20261120"', date), /date: expected a (calendar )?date/] as const,
    ),
  ] as const
).map(([name, text, error]) =>
  stores(
    `an entry with ${name} is rejected, the one beside it is stored`,
    (n) => post("/purchases", list(text.replaceAll("N", String(n)), entry(n))),
    bulkOk(207, 1, 1, `"index":0,"status":400,"error":"${error.source}`),
    (n) => [sale(n)],
  ),
);

const lines: readonly HttpCase[] = [
  stores(
    "lines that are no JSON, no UTF-8 or name a key twice do not affect other lines",
    (n) => {
      const twice = entry(n).replace('"custID":1', '"custID":1,"custID":2');
      const [start, end] = [Buffer.from(`${entry(n)}\r\n{\n`), Buffer.from(`${twice}\n\n${entry(n)}`)];
      return post("/purchases", Buffer.concat([start, Buffer.of(0x7b, 0xff, 0x7d, 0x0a), end]), [ndjson]);
    },
    bulkOk(207, 2, 3, '"index":3,"status":400,"error":"custID: expected each key once'),
    (n) => many(n, 2),
  ),
  asks(
    "lines that end with CR alone are one line",
    (n) => post("/purchases", `${entry(n)}\r${entry(n)}`, [ndjson]),
    ok(400, /"error":"body: expected JSON/),
  ),
  stores(
    "a NUL between lines affects its line only",
    (n) => post("/purchases", `${entry(n)}\n\0\n${entry(n)}`, [ndjson]),
    bulkOk(207, 2, 1),
    (n) => many(n, 2),
  ),
  stores(
    "a thousand sales in chunks of odd sizes are stored",
    (n) => chunked("/purchases", list(...Array<string>(1000).fill(entry(n))).match(/[^]{1,4999}/g) ?? []),
    bulkOk(201, 1000),
    (n) => many(n, 1000),
    { reads: (n) => [[`/items/store/${n}`, { stores: [{ itemID: 85571, numberOfItems: 3000 }] }]] },
  ),
  asks("entries that are all rejected get 400 as a whole", () => post("/purchases", "[1,2]"), bulkOk(400, 0, 2)),
];

const e1 = ',"idempotencyKey":"e1"';
const e2 = ',"idempotencyKey":"e2"';
const entryOf4 = (n: number, more = ""): string => entry(n, more).replace(":3", ":4");
const reused = refused(422, /^Idempotency-Key: expected the content/);
const bulk = (n: number, ...texts: readonly string[]): Buffer => post("/purchases", list(...texts), keyed(`b${n}`));
const unkeyed = (...texts: readonly string[]): Buffer => post("/purchases", list(...texts));

/** Keys of bulk requests and of their entries. */
const keys: readonly HttpCase[] = [
  stores(
    "many sales with one key, sent again, are the same sales",
    (n) => inTurn(bulk(n, entry(n), entry(n)), bulk(n, entry(n), entry(n))),
    [bulkOk(201, 2), bulkOk(201, 2)],
    (n) => many(n, 4),
    { reads: (n) => [[`/items/store/${n}`, { stores: [{ itemID: 85571, numberOfItems: 6 }] }]] },
  ),
  stores(
    "a partial retry under the key of the whole gets 422, not another entry's id",
    (n) => inTurn(bulk(n, entry(n), entry(n, `${e1},"price":1`)), bulk(n, entry(n))),
    [bulkOk(207, 1, 1), reused],
    sale,
  ),
  stores(
    "the entries of a request with a key in another order get 422",
    (n) => inTurn(bulk(n, entry(n), entryOf4(n)), bulk(n, entryOf4(n), entry(n))),
    [bulkOk(201, 2), reused],
    (n) => [sale(n), sale(n, { items: [[85571, 4]] })],
  ),
  stores(
    "a partial retry under keys of its entries stores the corrected entry",
    (n) => inTurn(unkeyed(entry(n, e1), entry(n, `${e2},"price":1`)), unkeyed(entry(n, e2))),
    [bulkOk(207, 1, 1), bulkOk(201, 1)],
    (n) => many(n, 2),
  ),
  stores(
    "an entry's key that is used again with other content is rejected for that entry",
    (n) => inTurn(unkeyed(entry(n, e1)), unkeyed(entryOf4(n, e1), entry(n))),
    [bulkOk(201, 1), bulkOk(207, 1, 1, '"index":0,"status":422,"error":"idempotencyKey')],
    (n) => many(n, 2),
  ),
  stores(
    "one key twice in a request, with other content, is rejected the second time",
    (n) => unkeyed(entry(n, e1), entryOf4(n, e1)),
    bulkOk(207, 1, 1, '"index":1,"status":(409|422),"error":"'),
    sale,
  ),
  stores(
    "an entry's key is that of a single sale",
    (n) => inTurn(unkeyed(entry(n, e1)), postSale(n, keyed("e1")), post(salePath(n), saleOf4, keyed("e1"))),
    [bulkOk(201, 1), created, reused],
    (n) => many(n, 2),
    // One event: a second row would count 6.
    { reads: (n) => [[`/items/store/${n}`, { stores: [{ itemID: 85571, numberOfItems: 3 }] }]] },
  ),
  stores(
    "a retry of a bulk request with a rejected entry has the same results",
    (n) => inTurn(bulk(n, entry(n), "5", entry(n)), bulk(n, entry(n), "5", entry(n))),
    [bulkOk(207, 2, 1), bulkOk(207, 2, 1)],
    (n) => many(n, 4),
    { reads: (n) => [[`/items/store/${n}`, { stores: [{ itemID: 85571, numberOfItems: 6 }] }]] },
  ),
  stores(
    "no key of an entry is that of another entry under the request's key",
    (n) => {
      const visible = Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index));
      const texts = ["", ...visible].map((one) => entry(n, `,"idempotencyKey":${JSON.stringify(`b${n}${one}0`)}`));
      return bulk(n, entry(n), ...texts);
    },
    bulkOk(201, 0x7f - 0x21 + 2),
    (n) => many(n, 0x7f - 0x21 + 2),
    {
      // Each is a row: a key that named two entries would leave a smaller count.
      reads: (n) => [[`/items/store/${n}`, { stores: [{ itemID: 85571, numberOfItems: 3 * (0x7f - 0x21 + 2) }] }]],
    },
  ),
];

/** Many sales in one request. */
export const bulkRequests: readonly HttpCase[] = [...wholes, ...entries, ...lines, ...keys];
