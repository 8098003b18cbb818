import { fieldIn, InvalidInput } from "@tally/contract";
import { ownRankings } from "@tally/redis/own-rankings";
import { expect, test } from "vitest";
import { get, purchases, purchasesDatabase, sourcesOf } from "./purchases.test-kit.ts";

const database = purchasesDatabase().connect();
const { rankings } = ownRankings(1, [purchases]);
const { writer } = database;
const day = 20261101;

test("all stores have one currency, whatever is registered at once; only a single store changes it", async () => {
  const put = purchases.puts.find(({ path }) => path.startsWith("/stores")) ?? expect.fail();
  const register = (...stores: readonly (readonly [id: number, currency?: string])[]) => {
    const rows = stores.map(([id, currency]) => put.rowOf({ storeID: String(id) }, { zone: "UTC", currency }));
    return database.transaction((tx) => put.put(rows, tx));
  };
  const currencies = async () => {
    const rows = await writer.query<{ currency: string }>("SELECT currency FROM stores WHERE currency IS NOT NULL");
    return rows.map((row) => row.currency);
  };
  const rounds = await Promise.all(["EUR", "USD", "EUR", "USD"].map((one, at) => register([301 + at, one])));
  const [used, ...more] = await currencies();
  expect([more, rounds.flat().filter((one) => one instanceof InvalidInput).length]).toEqual([[used], 2]);
  await database.transaction((tx) =>
    tx.insert("INSERT INTO sales_samples (day, slot, quantity, stores, items) VALUES ?", [[day, 1, 2, "[]", "[]"]]),
  );
  const sources = sourcesOf(writer, rankings);
  const currencyIn = async (path: string, by: object) =>
    fieldIn(await get(path, {}, { date: String(day), ...by }, { ...sources, readKept: sources.read }), "currency");
  expect(await currencyIn("/chain/sales", {})).toBe(used);
  for (const path of ["/chain/top-items", "/chain/top-categories"]) {
    expect(await currencyIn(path, { by: "netSales" })).toBe(used);
    expect(await currencyIn(path, { by: "quantity" })).toBeUndefined();
  }
  await database.transaction((tx) => tx.execute("UPDATE stores SET currency = NULL"));
  await register([301, "EUR"]);
  const inOne = await register([301, "USD"], [302, "USD"], [301, "EUR"], [303]);
  expect(inOne.map((one) => (one instanceof InvalidInput ? one.message : fieldIn(one, "currency")))).toEqual([
    "USD",
    "USD",
    'currency: expected USD, which registered stores have, got "EUR"',
    undefined,
  ]);
});
