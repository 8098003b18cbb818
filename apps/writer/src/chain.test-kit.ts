import { readFile } from "node:fs/promises";
import { fieldIn, utcDayOf, type SqlReader, type SqlTransaction } from "@tally/contract";
import { expect } from "vitest";
import { purchases, sumsOfRows, type Sum } from "./purchases.test-kit.ts";

export const measures = ["quantity", "grossSales", "netSales"] as const;
export const dayOf = (ago: number): string => String(utcDayOf(Date.now() - ago * 86_400_000));

const paths = [
  ["/top-items", "items", "itemID"],
  ["/top-stores", "stores", "storeID"],
] as const;
export const shown = (entries: unknown, member: "itemID" | "storeID" | "region" | "category", by: string) =>
  (Array.isArray(entries) ? entries : []).map((entry: unknown) => {
    const amount = Number(fieldIn(entry, by));
    return [fieldIn(entry, member), by === "quantity" ? amount : Math.round(amount * 10_000)];
  });

const summed = <K extends string | number>(sums: readonly Sum[], by: (typeof measures)[number], of: (one: Sum) => K) =>
  [...Map.groupBy(sums, of)]
    .map(([id, all]) => [id, all.reduce((sum, one) => sum + one[by], 0)] as const)
    .filter(([, sum]) => sum !== 0)
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));

async function compareLists(get: Get, query: Query, sums: readonly Sum[]): Promise<void> {
  const { date, to: last = date ?? "" } = query;
  const ofCategory = sums.filter((one) => categoryOf(one.itemID, last) !== "");
  for (const by of measures) {
    const found = fieldIn(await get("/top-categories", {}, { ...query, by }), "categories");
    expect(shown(found, "category", by)).toEqual(summed(ofCategory, by, (one) => categoryOf(one.itemID, last)));
    for (const [path, list, member] of paths) {
      const body = await get(path, {}, { ...query, by, limit: 50 });
      const best = summed(sums, by, (one) => one[member]);
      const [asked, entries] = [{ path, ...query, by }, shown(fieldIn(body, list), member, by)];
      expect({ ...asked, entries }).toEqual({ ...asked, entries: best });
      const total = list === "stores" ? [best.reduce((all, [, sum]) => all + sum, 0)] : [];
      expect(shown([fieldIn(body, "total") ?? []].flat(), member, by).map(([, sum]) => sum)).toEqual(total);
    }
  }
}

/** A store moved yesterday. */
const regionOf = (storeID: number, day: string) =>
  storeID === 0 || (storeID === 1 && day >= dayOf(1)) ? "South" : "North";
const versions = [
  ...[0, 1, 2].map((store) => [store, 10_000_101, regionOf(store, "")]),
  [1, Number(dayOf(1)), "South"],
];
/** Of an item that moved yesterday, of others always. */
const categoryOf = (itemID: number, day: string): string =>
  itemID === 9 && day < dayOf(1) ? "Food" : [0, 70, 9].includes(itemID) ? "Drinks" : "";
const categories = [0, 70, 9].map((item) => [item, `${item}`, categoryOf(item, "")]);
export async function register(transaction: SqlTransaction): Promise<void> {
  await transaction.insert("INSERT INTO store_regions (store_id, valid_from, region) VALUES ?", versions);
  // As an earlier release, and then the migration, leave it.
  await transaction.insert("INSERT INTO items (item_id, name, category) VALUES ?", categories);
  const migration = await readFile(new URL("019-item-categories.sql", purchases.migrations), "utf8");
  await transaction.execute(migration.slice(migration.indexOf("INSERT ")));
  await transaction.insert("INSERT INTO item_categories VALUES ?", [[9, Number(dayOf(1)), "Drinks"]]);
}

async function compareRegions(get: Get, date: string, sums: readonly Sum[]): Promise<void> {
  for (const by of measures) {
    for (const itemID of new Set(sums.map((one) => one.itemID))) {
      const body = await get("/items/:itemID/top-regions", { itemID }, { date, by });
      const own = sums.filter((one) => one.itemID === itemID);
      const expected = summed(own, by, ({ storeID }) => regionOf(storeID, date));
      const sold = shown(fieldIn(body, "regions"), "region", by);
      expect({ date, itemID, by, sold }).toEqual({ date, itemID, by, sold: expected });
    }
  }
}

type Query = Readonly<Record<string, string>>;
type Get = (path: string, params: object, query: object) => Promise<unknown>;

/** Compares the rankings of the chain with the sums of a window, those of regions with the sums of its rows. */
export async function compareChain(
  { get, writer }: { readonly get: Get; readonly writer: SqlReader },
  window: Query,
  { sums, isByDay }: { readonly sums: readonly Sum[]; readonly isByDay: boolean },
): Promise<void> {
  await compareLists(get, window, sums);
  if (!isByDay) return;
  const { date, from = date ?? "", to = date ?? "" } = window;
  const daily = await writer.query<Sum>(sumsOfRows("store_id, item, day"), [from, to]);
  for (const region of ["South", "North"]) {
    const own = daily.filter((one) => regionOf(one.storeID, one.day) === region);
    await compareLists(get, { ...window, region }, own);
  }
  if (date !== undefined) await compareRegions(get, date, daily);
}
