import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { recorded, type Contract } from "./contract.ts";
import { RawConnection } from "../http/raw-connection.ts";

interface Page {
  readonly purchases: readonly { readonly eventID: string; readonly date: string }[];
  readonly nextCursor: string | null;
}

const [storeA, storeB, storeOfManyItems] = [20, 21, 22];

/** GET /purchases page by page, and rankings of items by day. */
export function purchasePages(contract: Contract): void {
  const read = async (path: string): Promise<Record<string, unknown>> =>
    JSON.parse(await (await fetch(contract.system().url + path)).text());
  /** The pages of a query, in order. */
  const pagesOf = async (query: string): Promise<readonly Page["purchases"][]> => {
    const pages: Page["purchases"][] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page = JSON.parse(JSON.stringify(await read(`/purchases?${query}${cursor && `&cursor=${cursor}`}`)));
      pages.push(page.purchases);
      cursor = page.nextCursor;
    }
    return pages;
  };
  const post = async (entries: readonly object[]): Promise<void> => {
    const connection = new RawConnection(contract.system().url);
    expect(recorded(contract, await connection.post("/purchases", JSON.stringify(entries))).status).toBe(201);
    connection.destroy();
  };

  describe("pages and rankings of purchases", () => {
    beforeAll(async () => {
      const sales = Array.from({ length: 60 }, (_, n) => ({
        storeID: n % 2 === 0 ? storeA : storeB,
        custID: 77_000 + (n % 3),
        date: `2026112${n % 4}`,
        items: [
          { ItemID: 600 + (n % 5), numberOfItems: 2 },
          { ItemID: 700, numberOfItems: 1 },
        ],
      }));
      await post(sales);
      const items = Array.from({ length: 500 }, (_, n) => ({ ItemID: 70_000 + n, numberOfItems: 1 }));
      await post(
        Array.from({ length: 45 }, (_, custID) => ({ storeID: storeOfManyItems, custID, date: "20261120", items })),
      );
      await vi.waitFor(async () => {
        for (const [store, rows] of [
          [storeA, 30],
          [storeB, 30],
          [storeOfManyItems, 45],
        ])
          expect((await pagesOf(`storeID=${store}&limit=1000`)).flat()).toHaveLength(rows ?? 0);
      }, 15_000);
    });

    test("a page of purchases with many items ends early, and the next one continues there", async () => {
      const pages = await pagesOf(`storeID=${storeOfManyItems}&limit=1000`);
      expect(pages.map(({ length }) => length)).toEqual([20, 20, 5]);
    });

    test("the latest purchases end at as many items as a page", async () => {
      const { purchases } = await read(`/purchases/latest?storeID=${storeOfManyItems}&limit=100`);
      expect(purchases).toHaveLength(20);
      expect(purchases).toContainEqual(
        expect.objectContaining({ items: expect.toSatisfy((items: readonly unknown[]) => items.length === 500) }),
      );
    });

    test.each([
      ["", undefined],
      [`storeID=${storeA}`, 30],
      [`storeID=${storeA}&date=20261120`, 15],
      [`customer=77001&storeID=${storeA}`, 10],
      [`customer=77001&storeID=${storeA}&date=20261120`, 5],
      ["customer=77002&date=20261122", 5],
    ])("the pages of %j have every row once", async (filter, expected) => {
      const limit = expected === undefined ? 1000 : 4;
      const ids = (await pagesOf(`${filter}&limit=${limit}`)).flat().map(({ eventID }) => eventID);
      expect(new Set(ids).size).toBe(ids.length);
      const count = "SELECT COUNT(*) AS purchases FROM purchases";
      const [row] = await contract.database().writer.query<{ purchases: number }>(count);
      expect(ids).toHaveLength(expected ?? row?.purchases ?? -1);
    });

    test("the purchases of a store are in the order of their days", async () => {
      const dates = (await pagesOf(`storeID=${storeA}&limit=1000`)).flat().map(({ date }) => date);
      expect(dates).toEqual(dates.toSorted());
    });

    test.each([
      ["a day from its rows", `/stores/${storeA}/top-items?date=20261120&limit=10`, 15, [600, 601, 602, 603, 604], 6],
      ["all days from the board", `/stores/${storeA}/top-items?limit=3`, 30, [600, 601], 12],
    ])("the top items of %s: most first, ties by the smaller id", async (_name, path, of700, others, quantity) => {
      await vi.waitFor(
        async () =>
          expect((await read(path))["items"]).toEqual([
            { itemID: 700, quantity: of700 },
            ...others.map((itemID) => ({ itemID, quantity })),
          ]),
        10_000,
      );
    });

    test.each([
      ["gzip", gunzipSync],
      ["br", brotliDecompressSync],
      ["zstd", zstdDecompressSync],
    ] as const)("a large response is compressed as %s for a client that accepts it", async (encoding, decode) => {
      const path = `/purchases?storeID=${storeOfManyItems}`;
      const connection = new RawConnection(contract.system().url);
      const plain = await connection.get(path, ["Accept-Encoding: gzip;q=0, deflate"]);
      expect([plain.headers.get("content-encoding"), plain.headers.get("vary")]).toEqual([
        undefined,
        "accept-encoding",
      ]);
      const { headers, bytes } = await connection.get(path, [`Accept-Encoding: ${encoding}`]);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-encoding": encoding,
        vary: "accept-encoding",
        "content-type": "application/json; charset=utf-8",
      });
      expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
      expect(decode(bytes).toString()).toBe(plain.body);
      const small = await connection.get("/items/store/1", ["Accept-Encoding: gzip, br, zstd"]);
      expect([small.headers.get("content-encoding"), small.headers.get("vary")]).toEqual([undefined, undefined]);
      connection.destroy();
    });
  });
}
