import { fieldIn, InvalidInput, type Sources } from "@tally/contract";
import { ownRankings } from "@tally/redis/own-rankings";
import { expect, test } from "vitest";
import { bodyOf, get, purchases, purchasesDatabase, sale, sourcesOf, storeIn } from "./purchases.test-kit.ts";

const database = purchasesDatabase().connect();
const { rankings } = ownRankings(1, [purchases]);
const { writer } = database;
const day = 20261101;

const put = purchases.puts.find(({ path }) => path.startsWith("/stores")) ?? expect.fail();

/** Registers stores with `currency` as CURRENCY. Returns the currency of each, or why it is not registered. */
async function registerIn(currency: string | undefined, ...stores: readonly (readonly [id: number, own?: string])[]) {
  const rows = stores.map(([id, own]) => put.rowOf({ storeID: String(id) }, { zone: "UTC", currency: own }));
  const responses = await database.transaction((tx) => put.put(rows, tx, { currency }));
  return responses.map((one) => (one instanceof InvalidInput ? one.message : fieldIn(one, "currency")));
}
const register = registerIn.bind(undefined, undefined);
const unregister = () => database.transaction((tx) => tx.execute("UPDATE stores SET currency = NULL"));

test("all stores have one currency, whatever is registered at once; only a single store changes it", async () => {
  await database.transaction((tx) =>
    tx.insert("INSERT INTO sales_samples (day, slot, quantity, stores, items) VALUES ?", [[day, 1, 2, "[]", "[]"]]),
  );
  const ofRead = sourcesOf(writer, rankings);
  const sources: Sources = { ...ofRead, readKept: ofRead.read };
  const currencyIn = async (path: string, by: object = {}, from: Sources = sources) =>
    fieldIn(await get(path, {}, { date: String(day), ...by }, from), "currency");
  expect(await currencyIn("/chain/sales")).toBeUndefined();
  expect(await currencyIn("/chain/sales", {}, { ...sources, currency: "CHF" })).toBe("CHF");
  const rounds = await Promise.all(["EUR", "USD", "EUR", "USD"].map((one, at) => register([301 + at, one])));
  const rows = await writer.query<{ currency: string }>("SELECT currency FROM stores WHERE currency IS NOT NULL");
  const [used, ...more] = rows.map(({ currency }) => currency);
  expect([more, rounds.flat().filter((one) => one === used)]).toEqual([[used], [used, used]]);
  expect(await currencyIn("/chain/sales", {}, { ...sources, currency: "CHF" })).toBe(used);
  for (const path of ["/chain/top-items", "/chain/top-categories"]) {
    expect(await currencyIn(path, { by: "netSales" })).toBe(used);
    expect(await currencyIn(path, { by: "quantity" })).toBeUndefined();
  }
  await unregister();
  await register([301, "EUR"]);
  expect(await register([301, "USD"], [302, "USD"], [301, "EUR"], [303])).toEqual([
    "USD",
    "USD",
    'currency: expected USD, which registered stores have, got "EUR"',
    undefined,
  ]);
});

test("a store that has sold with prices keeps its currency, and all have that of CURRENCY", async () => {
  const has = (currency: string) => expect.stringContaining(`expected ${currency}, in which the store has sold`);
  const store = (storeId: number, line: readonly number[]) =>
    database.transaction((tx) => storeIn(tx, [bodyOf([sale(storeId, { lines: [line] })])]));
  await unregister();
  await store(304, [5, 2]);
  expect([await register([304, "EUR"]), await register([304, "USD"])]).toEqual([["EUR"], ["USD"]]);
  await store(304, [5, 2, 10_000, 0]);
  expect(await register([304, "EUR"], [304, "USD"])).toEqual([has("USD"), "USD"]);
  await unregister();
  await database.transaction((tx) =>
    tx.insert("INSERT INTO folded_series (domain, series, member, slice, counts) VALUES ?", [
      ["purchases", "netSales", 305, 0, "[[5,1]]"],
      ["purchases", "netSales", 306, 0, "[]"],
    ]),
  );
  expect(await register([306, "EUR"], [306, "USD"])).toEqual(["USD", "USD"]);
  await unregister();
  expect(await register([305, "EUR"], [305, "USD"])).toEqual(["EUR", has("EUR")]);
  await unregister();
  await register([306, "USD"]);
  expect(await registerIn("EUR", [306, "CHF"], [306, "USD"])).toEqual([
    'currency: expected EUR, which CURRENCY sets, got "CHF"',
    "USD",
  ]);
  await unregister();
  expect(await registerIn("EUR", [307, "USD"], [307, "EUR"], [308])).toEqual([
    'currency: expected EUR, which CURRENCY sets, got "USD"',
    "EUR",
    undefined,
  ]);
});
