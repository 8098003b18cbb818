import type { Sources } from "@tally/contract";
import { expect, test } from "vitest";
import { checkPurchase } from "./currency.ts";

test("prices need a currency, which is looked up once for each store; without a registry they are accepted", async () => {
  let reads = 0;
  let rows: object[] | undefined = [];
  const readNewest: Sources["readNewest"] = async (read, key) => {
    reads++;
    if (rows === undefined) throw new Error("away");
    return read.ofRows(rows, key);
  };
  const check = (lines: [number, number][] | [number, number, number, number][], currency?: string) =>
    checkPurchase({ id: "", storeId: 7, date: 20261120, lines }, { readNewest, currency });
  expect([check([[9, 1]]), check([[9, 1, 20_000, 0]], "EUR"), reads]).toEqual([undefined, undefined, 0]);
  for (let n = 1; n <= 2; n++) {
    await expect(check([[9, 1, 20_000, 0]])).rejects.toThrow(
      "items[0].unitPrice: expected a currency of store 7 (set it with PUT /stores/7, zone and currency, or CURRENCY)",
    );
    expect(reads).toBe(n);
  }
  rows = undefined;
  for (let n = 1; n <= 2; n++) await expect(check([[9, 1, 20_000, 0]])).resolves.toBeUndefined();
  rows = [{ store_id: 7 }];
  await expect(check([[9, 1, 20_000, 0]])).resolves.toBeUndefined();
  expect([check([[9, 1, 20_000, 0]]), reads]).toEqual([undefined, 5]);
});
