import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { beforeAll, expect, test, vi } from "vitest";
import { expectReads } from "../http/cases.ts";
import { RawConnection } from "../http/raw-connection.ts";
import { database, open, recorded, system } from "./system.ts";

/* The path of one event, pages of purchases, and compressed responses. */

const read = async (path: string): Promise<Record<string, unknown>> =>
  JSON.parse(await (await fetch(system.url + path)).text());

// docs/path-of-an-event.md as a test: the same steps in the same order, each seen from outside.
test("the path of an event: acknowledged, stored in one transaction, ranked, read", async () => {
  // 1. The gateway accepts a purchase and responds when it is on disk at the broker.
  const body = '{"items":[{"ItemID":"71","numberOfItems":3},{"ItemID":"72","numberOfItems":1}]}';
  const accepted = recorded(await open().post("/purchase/5/customer/5001/date/20261120", body));
  expect(accepted.status).toBe(201);
  const id = accepted.headers.get("tally-event-id") ?? "";
  expect(id).not.toBe("");

  // 2. The writer has written its rows, and its batch into the ledger.
  const hex = id.replaceAll("-", "");
  const sale = `SELECT store_id, customer_id, purchased_on, events, changes, refused FROM purchases
    JOIN batches USING (producer, sequence) WHERE id = UNHEX(?)`;
  const row = { store_id: 5, customer_id: 5001, purchased_on: "2026-11-20", events: 1, changes: 1, refused: 0 };
  await expect.poll(() => database.writer.query(sale, [hex])).toEqual([row]);
  const items = "SELECT line, item_id, quantity FROM purchase_items WHERE purchase_id = UNHEX(?)";
  expect(await database.writer.query(items, [hex])).toEqual([
    { line: 0, item_id: 71, quantity: 3 },
    { line: 1, item_id: 72, quantity: 1 },
  ]);

  // 3. The ranker has ranked it on the boards of its store and of its items.
  await expectReads(system.url, [[`/events/${id}`, expect.objectContaining({ stored: true, ranked: true })]]);

  // 4. Reads: rankings with their age, rows from the read endpoint.
  const asOf = expect.stringMatching(/^20\d\d-\d\d-\d\dT/);
  const [sold, other] = [
    { ItemID: 71, numberOfItems: 3 },
    { ItemID: 72, numberOfItems: 1 },
  ];
  const purchase = expect.objectContaining({ eventID: id, storeID: 5, custID: 5001, items: [sold, other] });
  const best = [{ rank: 1, itemID: 71, quantity: 3 }];
  await expectReads(system.url, [
    ["/items/top5/71", { stores: [{ storeID: 5, numberOfItems: 3 }] }],
    ["/stores/5/top-items?limit=1", { storeID: 5, by: "quantity", asOf, items: best }],
    ["/items/72/top-stores", expect.objectContaining({ itemID: 72, stores: [{ rank: 1, storeID: 5, quantity: 1 }] })],
    ["/purchases?storeID=5&date=20261120&customer=5001", { purchases: [purchase], nextCursor: null }],
    [
      "/stores/5/top-items?date=20261120&limit=1",
      { storeID: 5, from: "20261120", to: "20261120", by: "quantity", asOf, items: best },
    ],
    ["/stores/5/items/73/rank", { storeID: 5, itemID: 73, by: "quantity", asOf, rank: null, quantity: 0, around: [] }],
    [
      "/stores/5/items/73/rank?by=netSales",
      { storeID: 5, itemID: 73, by: "netSales", asOf, rank: null, around: [], currency: "EUR", netSales: "0.0000" },
    ],
  ]);
});

test("the prices and the time of a purchase are stored exactly, and read back as decimal texts and in UTC", async () => {
  const items = [
    { ItemID: 7301, numberOfItems: 3, unitPrice: "1.9900", discountAmount: "0.50" },
    { ItemID: 7301, numberOfItems: 1, unitPrice: "99999999.9999" },
  ];
  const body = JSON.stringify({ items, soldAt: "2026-11-20T12:00:00.25+01:00" });
  recorded(await open().post("/purchase/73/customer/5001/date/20261120", body));
  const sold = [
    { ...items[0], discountAmount: "0.5000" },
    { ...items[1], discountAmount: "0.0000" },
  ];
  const purchase = expect.objectContaining({ storeID: 73, items: sold, soldAt: "2026-11-20T11:00:00.250Z" });
  await expectReads(system.url, [
    ["/items/top5/7301", { stores: [{ storeID: 73, numberOfItems: 4 }] }],
    ["/purchases?storeID=73", { purchases: [purchase], nextCursor: null }],
    ["/purchases/latest?storeID=73", { purchases: [purchase], isComplete: true, refunds: [] }],
  ]);
  const amounts = "SELECT unit_price AS price, discount_amount AS discount FROM purchase_items WHERE store_id = 73";
  expect(await database.writer.query(`${amounts} ORDER BY line`)).toEqual([
    { price: "1.9900", discount: "0.5000" },
    { price: "99999999.9999", discount: "0.0000" },
  ]);
});

const [storeA, storeB, storeOfManyItems] = [20, 21, 22];

/** The pages of GET /purchases with a query, in order. */
async function pagesOf(query: string) {
  const pages: (readonly { readonly eventID: string; readonly date: string }[])[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = JSON.parse(JSON.stringify(await read(`/purchases?${query}${cursor && `&cursor=${cursor}`}`)));
    pages.push(page.purchases);
    cursor = page.nextCursor;
  }
  return pages;
}

async function sell(entries: readonly object[]): Promise<void> {
  const connection = new RawConnection(system.url);
  expect(recorded(await connection.post("/purchases", JSON.stringify(entries))).status).toBe(201);
  connection.destroy();
}

beforeAll(async () => {
  const sales = Array.from({ length: 60 }, (_, n) => ({
    storeID: n % 2 === 0 ? storeA : storeB,
    custID: 77_000 + (n % 3),
    date: `2026112${n % 4}`,
    items: [600 + (n % 5), 700].map((ItemID) => ({ ItemID, numberOfItems: ItemID === 700 ? 1 : 2 })),
  }));
  const items = Array.from({ length: 500 }, (_, n) => ({ ItemID: 70_000 + n, numberOfItems: 1 }));
  const large = { storeID: String(storeOfManyItems), date: 20261120, items };
  await sell(sales);
  await sell(Array.from({ length: 45 }, (_, custID) => ({ ...large, custID })));
  await vi.waitFor(async () => {
    for (const [store, rows = 0] of [
      [storeA, 30],
      [storeB, 30],
      [storeOfManyItems, 45],
    ])
      expect((await pagesOf(`storeID=${store}&limit=1000`)).flat()).toHaveLength(rows);
    // Until a ranker has built the rankings of a domain they are 503.
    for (const path of ["/albums/top", "/steps/top?day=1", "/swipes/top", "/resort/day/top10vert?resort=R&dayID=1"])
      expect((await fetch(system.url + path)).status).toBe(200);
  }, 120_000);
});

test("a page of purchases with many items ends early, and the next one continues there", async () => {
  const pages = await pagesOf(`storeID=${storeOfManyItems}&limit=1000`);
  expect(pages.map(({ length }) => length)).toEqual([20, 20, 5]);
  const { purchases } = await read(`/purchases/latest?storeID=${storeOfManyItems}&limit=100`);
  expect(purchases).toHaveLength(20);
  const many = expect.toSatisfy((items: readonly unknown[]) => items.length === 500);
  expect(purchases).toContainEqual(expect.objectContaining({ items: many }));
});

test.each([
  ["", undefined],
  [`storeID=${storeA}`, 30],
  [`storeID=${storeA}&date=20261120`, 15],
  [`customer=77001&storeID=${storeA}`, 10],
  [`customer=77001&storeID=${storeA}&date=20261120`, 5],
  ["customer=77002&date=20261122", 5],
])("the pages of %j have every row once, in the order of their days for a store", async (filter, expected) => {
  const rows = (await pagesOf(`${filter}&limit=${expected === undefined ? 1000 : 4}`)).flat();
  expect(new Set(rows.map(({ eventID }) => eventID)).size).toBe(rows.length);
  const count = "SELECT COUNT(*) AS purchases FROM purchases";
  const [all] = await database.writer.query<{ purchases: number }>(count);
  expect(rows).toHaveLength(expected ?? all?.purchases ?? -1);
  const dates = rows.map(({ date }) => date);
  if (filter.startsWith("storeID")) expect(dates).toEqual(dates.toSorted());
});

test.each([
  ["gzip", gunzipSync],
  ["br", brotliDecompressSync],
  ["zstd", zstdDecompressSync],
] as const)("a large response is compressed as %s for a client that accepts it", async (encoding, decode) => {
  const path = `/purchases?storeID=${storeOfManyItems}`;
  const connection = open();
  const plain = await connection.get(path, ["Accept-Encoding: gzip;q=0, deflate"]);
  expect(plain.headers.get("content-encoding")).toBeUndefined();
  expect(plain.headers.get("vary")).toBe("accept-encoding");
  const { headers, bytes } = await connection.get(path, [`Accept-Encoding: ${encoding}`]);
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-encoding": encoding,
    vary: "accept-encoding",
    "content-type": "application/json; charset=utf-8",
  });
  expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
  expect(decode(bytes).toString()).toBe(plain.body);
  const small = await connection.get("/items/store/1", ["Accept-Encoding: gzip, br, zstd"]);
  expect(small.headers.get("content-encoding")).toBeUndefined();
});
