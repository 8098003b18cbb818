import { asks, bad, bulkOk, created, inTurn, rejected, stores, type HttpCase } from "../http/cases.ts";
import { chunked, cover, entry, field, formType, keyed, ndjson, post, postForm, postSale } from "../http/requests.ts";
import { profile, saleBody, salePath } from "../http/requests.ts";
import { album, sale, type StoredContent } from "../http/stored.ts";

/* Many sales in one request, and Idempotency-Keys. */

const many = (n: number, count: number) => Array.from({ length: count }, () => sale(n));
const list = (...entries: readonly string[]): string => `[${entries.join()}]`;
const bulk = (...entries: readonly string[]): Buffer => post("/purchases", list(...entries));
const sold = (quantity: number) => (n: number) =>
  [[`/items/store/${n}`, { stores: [{ itemID: 85571, numberOfItems: quantity }] }]] as const;
const counts = /^body: expected (1 to|at most) 1000 entries/;

const wholes: readonly HttpCase[] = (
  [
    ["an empty list", "[]", counts],
    ["nothing", "", /^body: expected /],
    ["1,001 entries", list(...Array<string>(1001).fill("1")), counts],
  ] as const
).map(([name, body, text]) => asks(`${name} as a bulk request`, () => post("/purchases", body), bad(text)));

const template = entry(0).replace('"storeID":0', '"storeID":N');
const keyOf = (key: string): string => template.replace(/}$/, `,"idempotencyKey":${key}}`);
const dateOf = (date: string): string => template.replace('"20261120"', date);
const badKey = "idempotencyKey: expected ";
const entries: readonly HttpCase[] = (
  [
    ["5", "body: expected an object"],
    ["{}", "storeID: expected an integer"],
    [`"${"x".repeat(500_000)}"`, "body: expected "],
    [template.replace(":N", ":1e400"), "storeID: expected an integer(?![^}]*got null)"],
    [template.replace('"custID":1', '"custID":1,"__proto__":1'), "__proto__: expected no such field"],
    [template.replace(":3", ":0"), String.raw`items\[0\]\.numberOfItems: expected an integer`],
    [
      template.replace(/,"numberOfItems":3/, ""),
      String.raw`items\[0\]\.numberOfItems: expected an integer.*got nothing`,
    ],
    ...[`""`, `"${"k".repeat(256)}"`, `"a b"`, `"ü"`, String.raw`"\ud800"`, "5"].map((key) => [keyOf(key), badKey]),
    ...['"20260230"', '"99991231"', '"٢٠٢٦١١٢٠"', "1e400", "null"].map((date) => [
      dateOf(date),
      "date: expected a (calendar )?date",
    ]),
  ] as const
).map(([text = "", error = ""], index) =>
  stores(
    `the entry ${text.slice(0, 120)} (${index}) is rejected, the one beside it is stored`,
    (n) => bulk(text.replaceAll("N", String(n)), entry(n)),
    bulkOk(207, 1, 1, `"index":0,"status":400,"error":"${error}`),
    sale,
  ),
);

const lines: readonly HttpCase[] = [
  stores(
    "lines that are no JSON, no UTF-8 or name a key twice do not affect other lines",
    (n) => {
      const twice = entry(n).replace('"custID":1', '"custID":1,"custID":2');
      const [start, end] = [Buffer.from(`${entry(n)}\r\n{\n\0\n`), Buffer.from(`${twice}\n\n${entry(n)}`)];
      return post("/purchases", Buffer.concat([start, Buffer.of(0x7b, 0xff, 0x7d, 0x0a), end]), [ndjson]);
    },
    bulkOk(207, 2, 4, '"index":4,"status":400,"error":"custID: expected each key once'),
    (n) => many(n, 2),
  ),
  stores(
    "a thousand sales in chunks of odd sizes are stored",
    (n) => chunked("/purchases", list(...Array<string>(1000).fill(entry(n))).match(/[^]{1,4999}/g) ?? []),
    bulkOk(201, 1000),
    (n) => many(n, 1000),
    sold(3000),
  ),
];

const e1 = ',"idempotencyKey":"e1"';
const e2 = ',"idempotencyKey":"e2"';
const entryOf4 = (n: number, more = ""): string => entry(n, more).replace(":3", ":4");
const reused = rejected(422, /^Idempotency-Key: expected the content/);
const keyedBulk = (n: number, ...texts: readonly string[]): Buffer =>
  post("/purchases", list(...texts), keyed(`b${n}`));

const bulkKeys: readonly HttpCase[] = [
  stores(
    "a bulk request with a key and a rejected entry, sent again, has the same results",
    (n) => inTurn(keyedBulk(n, entry(n), "5", entry(n)), keyedBulk(n, entry(n), "5", entry(n))),
    [bulkOk(207, 2, 1), bulkOk(207, 2, 1)],
    (n) => many(n, 4),
    sold(6),
  ),
  stores(
    "a partial retry under the key of the whole gets 422, not another entry's id",
    (n) => inTurn(keyedBulk(n, entry(n), entry(n, `${e1},"price":1`)), keyedBulk(n, entry(n))),
    [bulkOk(207, 1, 1), reused],
    sale,
  ),
  stores(
    "a partial retry under keys of its entries stores the corrected entry",
    (n) => inTurn(bulk(entry(n, e1), entry(n, `${e2},"price":1`)), bulk(entry(n, e2))),
    [bulkOk(207, 1, 1), bulkOk(201, 1)],
    (n) => many(n, 2),
  ),
  stores(
    "an entry's key that is used again with other content is rejected for that entry",
    (n) => inTurn(bulk(entry(n, e1)), bulk(entryOf4(n, e1), entry(n))),
    [bulkOk(201, 1), bulkOk(207, 1, 1, '"index":0,"status":422,"error":"idempotencyKey')],
    (n) => many(n, 2),
  ),
  stores(
    "one key twice in a request, with other content, is rejected the second time",
    (n) => bulk(entry(n, e1), entryOf4(n, e1)),
    bulkOk(207, 1, 1, '"index":1,"status":(409|422),"error":"'),
    sale,
  ),
  stores(
    "no key of an entry is that of another entry under the request's key",
    (n) => {
      const visible = Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index));
      const texts = ["", ...visible].map((one) => entry(n, `,"idempotencyKey":${JSON.stringify(`b${n}${one}0`)}`));
      return keyedBulk(n, entry(n), ...texts);
    },
    bulkOk(201, 96),
    (n) => many(n, 96),
    // Each is a row: a key that named two entries would leave a smaller count.
    sold(3 * 96),
  ),
];

const keyNames = /^Idempotency-Key: expected 1 to 255 visible ASCII characters/;
const sellsTwice = (name: string, ...sent: readonly ((n: number) => Buffer)[]): HttpCase =>
  stores(
    name,
    (n) => sent.map((send) => send(n)),
    [created, created],
    (n) => many(n, 2),
    sold(3),
  );

const keys: readonly HttpCase[] = [
  ...["", "k".repeat(256), "a b", "\xfc"].map((key) =>
    asks(`the key ${JSON.stringify(key.slice(0, 20))} is rejected`, (n) => postSale(n, keyed(key)), bad(keyNames)),
  ),
  ...["k".repeat(255), ...`k "quoted" ../.. '-- __proto__ %00 ~!@#$^&*()`.split(" ")].map((key) =>
    sellsTwice(
      `the key ${key.slice(0, 20)} makes a retry the same sale`,
      (n) => postSale(n, keyed(key)),
      (n) => postSale(n, keyed(key)),
    ),
  ),
  sellsTwice(
    "the same content in other white space and order of fields is the same sale",
    (n) => postSale(n, keyed("a")),
    (n) => post(salePath(n), '{ "items": [ { "numberOfItems:": 3, "ItemID": 85571 } ] }', keyed("a")),
  ),
  asks("two keys", (n) => postSale(n, [...keyed("a"), "Idempotency-Key: b"]), bad(/^Idempotency-Key: /)),
  stores(
    "one key in two stores is two sales",
    (n) => inTurn(postSale(n, keyed(`s${n}`)), postSale(n + 500_000, keyed(`s${n}`))),
    [created, created],
    (n) => [sale(n), sale(n + 500_000)],
  ),
  stores(
    "a rejected request does not use up its key",
    (n) => inTurn(post(salePath(n), "{", keyed("a")), postSale(n, keyed("a"))),
    [bad(/^body: /), created],
    sale,
  ),
];

export const bulkRequests: readonly HttpCase[] = [...wholes, ...entries, ...lines];
/** key-reuse.long.test.ts has other content under the key of an event, for each domain. */
export const idempotencyKeys: readonly HttpCase[] = [...bulkKeys, ...keys];

/** Requests under one key that differ in their content, one for each `turn`. */
interface KeyRace {
  readonly name: string;
  readonly send: (n: number, turn: number) => Buffer;
  readonly stores: (n: number, turn: number) => readonly StoredContent[];
}

const key = (n: number): readonly string[] => keyed(`race-${n}`);
const entryOf = (n: number, turn: number, more = ""): string => entry(n, more).replace(":3", `:${turn + 1}`);
const saleOf = (n: number, turn: number): StoredContent => sale(n, { items: [[85571, turn + 1]] });

export const keyRaces: readonly KeyRace[] = [
  {
    name: "sales",
    send: (n, turn) => post(salePath(n).replace("customer/1", `customer/${turn}`), saleBody, key(n)),
    stores: (n, turn) => [sale(n, { customer: turn })],
  },
  {
    name: "many sales",
    send: (n, turn) => post("/purchases", list(entry(n), entryOf(n, turn)), key(n)),
    stores: (n, turn) => [sale(n), saleOf(n, turn)],
  },
  {
    name: "entries with a key",
    send: (n, turn) => bulk(entryOf(n, turn, `,"idempotencyKey":"e${n}"`)),
    stores: (n, turn) => [saleOf(n, turn)],
  },
  {
    name: "albums",
    send: (n, turn) => postForm([cover, field("profile", profile(turn))], [formType, `Idempotency-Key: race-${n}`]),
    stores: (_, turn) => [album(turn)],
  },
];
