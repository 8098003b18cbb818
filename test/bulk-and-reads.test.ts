import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openDatabase } from "./rankings-equal-rows.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

interface Answer {
  readonly status: number;
  readonly body: {
    readonly accepted?: number;
    readonly refused?: number;
    readonly message?: string;
    readonly results?: readonly {
      readonly index: number;
      readonly status: number;
      readonly id?: string;
      readonly error?: string;
    }[];
    readonly purchases?: readonly { readonly eventID: string; readonly custID: number; readonly date: string }[];
    readonly nextCursor?: string | null;
    readonly items?: readonly { readonly itemID: number; readonly quantity: number }[];
    readonly stores?: readonly unknown[];
  };
}

async function ask(path: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(system.url + path, init);
  // What the assertions below look at; a field that is not there fails them.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const post = (body: string | Uint8Array<ArrayBuffer>, type: string, headers: Record<string, string> = {}) =>
  ask("/purchases", { method: "POST", headers: { "content-type": type, ...headers }, body });
const json = (entries: unknown, headers?: Record<string, string>) =>
  post(JSON.stringify(entries), "application/json", headers);
const sale = (storeID: number, more: object = {}) => ({
  storeID,
  custID: 1,
  date: "20261120",
  items: [{ ItemID: 7, numberOfItems: 1 }],
  ...more,
});
const stored = async (storeID: number) => (await ask(`/purchases?storeID=${storeID}&limit=1000`)).body.purchases ?? [];

test("a page of purchases with very many lines ends early, and the next goes on where it ended", async () => {
  const items = Array.from({ length: 500 }, (_, n) => ({ ItemID: 70_000 + n, numberOfItems: 1 }));
  const { body } = await json(Array.from({ length: 45 }, (_, custID) => sale(500, { custID, items })));
  expect(body.accepted).toBe(45);
  await vi.waitFor(async () => {
    const pages: number[] = [];
    const seen = new Set<string>();
    let cursor: string | null | undefined;
    do {
      const page = await ask(`/purchases?storeID=500&limit=1000${cursor ? `&cursor=${cursor}` : ""}`);
      pages.push(page.body.purchases?.length ?? 0);
      for (const { eventID } of page.body.purchases ?? []) seen.add(eventID);
      cursor = page.body.nextCursor;
    } while (cursor);
    expect({ pages, purchases: seen.size }).toEqual({ pages: [20, 20, 5], purchases: 45 });
  }, 10_000);
});

describe("many purchases in one request", () => {
  test("a thousand are each answered with an id of their own, and stored", async () => {
    const answer = await json(Array.from({ length: 1000 }, () => sale(10)));
    expect(answer).toMatchObject({ status: 201, body: { accepted: 1000, refused: 0 } });
    expect(new Set(answer.body.results?.map(({ id }) => id)).size).toBe(1000);
    await vi.waitFor(async () => expect(await stored(10)).toHaveLength(1000), 10_000);
  });

  test("one bad entry never sinks the others, and is told what is wrong with it", async () => {
    const answer = await json([
      sale(11),
      sale(11, { date: "20260230" }),
      sale(-1),
      5,
      sale(11, { items: [] }),
      sale(11),
    ]);
    expect(answer).toMatchObject({ status: 207, body: { accepted: 2, refused: 4 } });
    expect(answer.body.results?.map(({ index, status, error }) => [index, status, error?.split(":")[0]])).toEqual([
      [0, 201, undefined],
      [1, 400, "date"],
      [2, 400, "storeID"],
      [3, 400, "body"],
      [4, 400, "items"],
      [5, 201, undefined],
    ]);
    await vi.waitFor(async () => expect(await stored(11)).toHaveLength(2));
  });

  test("lines of JSON: a line that is no JSON, names a key twice or is no UTF-8 concerns that line only", async () => {
    const good = JSON.stringify(sale(12));
    const lines = [`${good}\r`, "{", good.replace('"custID":1', '"custID":1,"custID":2'), "", good].map((line) =>
      Buffer.from(line),
    );
    const body = Buffer.concat(
      [...lines, Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from(good)].flatMap((line) => [line, Buffer.from("\n")]),
    );
    const answer = await post(new Uint8Array(body), "application/x-ndjson");
    expect(answer.status).toBe(207);
    expect(answer.body.results?.map(({ status }) => status)).toEqual([201, 400, 400, 201, 400, 201]);
    expect(answer.body.results?.[2]?.error).toMatch(/^custID: expected each key once/);
    await vi.waitFor(async () => expect(await stored(12)).toHaveLength(3));
  });

  test("all bad is 400, none and too many are refused as a whole", async () => {
    expect((await json([sale(-1), sale(-2)])).status).toBe(400);
    expect((await json([])).body.message).toMatch(/^body: expected 1 to 1000 entries/);
    expect((await json(Array.from({ length: 1001 }, () => sale(13)))).body.message).toMatch(/got 1001/);
    expect((await json({ items: [] })).body.message).toMatch(/^body: expected a JSON array/);
    expect(await stored(13)).toHaveLength(0);
  });

  test("sent again with the same key it is the same events; an entry's own key is that of a single purchase", async () => {
    const entries = [sale(14), sale(14, { idempotencyKey: "till/1" })];
    const first = await json(entries, { "idempotency-key": "upload-1" });
    const again = await json(entries, { "idempotency-key": "upload-1" });
    expect(again.body.results?.map(({ id }) => id)).toEqual(first.body.results?.map(({ id }) => id));
    const single = await fetch(`${system.url}/purchase/14/customer/1/date/20261120`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "till/1" },
      body: JSON.stringify({ items: sale(14).items }),
    });
    expect(single.headers.get("tally-event-id")).toBe(first.body.results?.[1]?.id);
    // A later one, so that all before it are surely through.
    await json([sale(14, { custID: 99 })]);
    await vi.waitFor(async () => expect((await stored(14)).some(({ custID }) => custID === 99)).toBe(true));
    expect(await stored(14)).toHaveLength(3);
    await vi.waitFor(async () =>
      expect((await ask("/stores/14/top-items")).body.items).toEqual([{ itemID: 7, quantity: 3 }]),
    );
  });

  test("no key that an entry may bring is that of another entry under the request's key", async () => {
    const visible = Array.from({ length: 0x7f - 0x21 }, (_, n) => String.fromCharCode(0x21 + n));
    const keys = ["", ...visible].map((between) => `a${between}0`);
    const entries = [sale(15), ...keys.map((idempotencyKey) => sale(15, { idempotencyKey }))];
    const answer = await json(entries, { "idempotency-key": "a" });
    expect(answer).toMatchObject({ status: 201, body: { accepted: entries.length } });
    expect(new Set(answer.body.results?.map(({ id }) => id)).size).toBe(entries.length);
    await vi.waitFor(async () => expect(await stored(15)).toHaveLength(entries.length), 10_000);
  });
});

describe("reads", () => {
  beforeAll(async () => {
    const entries = Array.from({ length: 60 }, (_, n) => ({
      storeID: 20 + (n % 2),
      custID: n % 3,
      date: `2026112${n % 4}`,
      items: [
        { ItemID: n % 5, numberOfItems: 2 },
        { ItemID: 100, numberOfItems: 1 },
      ],
    }));
    await json(entries);
    await vi.waitFor(async () => expect([...(await stored(20)), ...(await stored(21))]).toHaveLength(60));
  });

  test.each([
    ["", undefined],
    ["storeID=20", 30],
    ["storeID=20&date=20261120", 15],
    ["customer=1&storeID=20", 10],
    ["customer=1&storeID=20&date=20261120", 5],
    ["customer=2&date=20261122", 5],
  ])("page by page, %j visits every row once", async (filter, expected) => {
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const { body } = await ask(
        `/purchases?${filter}&limit=${expected === undefined ? 1000 : 4}${cursor ? `&cursor=${cursor}` : ""}`,
      );
      seen.push(...(body.purchases ?? []).map(({ eventID }) => eventID));
      cursor = body.nextCursor;
    } while (typeof cursor === "string");
    expect(new Set(seen).size).toBe(seen.length);
    if (expected === undefined) {
      const database = openDatabase(system);
      const [row] = await database.writer.query<{ purchases: number }>("SELECT COUNT(*) AS purchases FROM purchases");
      await database.close();
      expect(seen).toHaveLength(row?.purchases ?? -1);
    } else expect(seen).toHaveLength(expected);
  });

  test("a store without a date comes in the order of days", async () => {
    const dates = (await stored(20)).map(({ date }) => date);
    expect(dates).toEqual(dates.toSorted());
  });

  test("one day's best sellers are counted from the rows; equal quantities by the smaller id", async () => {
    const { body } = await ask("/stores/20/top-items?date=20261120&limit=10");
    expect(body.items).toEqual([
      { itemID: 100, quantity: 15 },
      ...[0, 1, 2, 3, 4].map((itemID) => ({ itemID, quantity: 6 })),
    ]);
  });

  test("live boards: the limit, and equal counts by the smaller id", async () => {
    await vi.waitFor(async () => {
      expect((await ask("/stores/20/top-items?limit=3")).body.items).toEqual([
        { itemID: 100, quantity: 30 },
        { itemID: 0, quantity: 12 },
        { itemID: 1, quantity: 12 },
      ]);
      expect((await ask("/items/top5/100")).body.stores).toEqual([
        { storeID: 20, numberOfItems: 30 },
        { storeID: 21, numberOfItems: 30 },
      ]);
    });
  });
});
