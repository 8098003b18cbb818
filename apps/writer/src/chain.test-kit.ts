import { readFile } from "node:fs/promises";
import { fieldIn, utcDayOf, type SqlReader, type SqlTransaction } from "@tally/contract";
import { expect } from "vitest";
import { purchases, sumsOfRows, type Sum } from "./purchases.test-kit.ts";

export const measures = ["quantity", "grossSales", "netSales"] as const;
export const dayOf = (ago: number): string => String(utcDayOf(Date.now() - ago * 86_400_000));

const paths = [
  ["top-items", "items", "itemID"],
  ["top-stores", "stores", "storeID"],
] as const;
/** Expects ranks from `first` on. */
export const shown = (
  entries: unknown,
  member: "itemID" | "storeID" | "region" | "category",
  by: string,
  first: number | null = 1,
) =>
  (Array.isArray(entries) ? entries : []).map((entry: unknown, at) => {
    expect(fieldIn(entry, "rank")).toBe(first === null ? null : first + at);
    return [fieldIn(entry, member), amountIn(entry, by)];
  });
const amountIn = (entry: unknown, by: string) =>
  Math.round(Number(fieldIn(entry, by)) * (by === "quantity" ? 1 : 10_000));

const summed = <K extends string | number>(sums: readonly Sum[], by: (typeof measures)[number], of: (one: Sum) => K) =>
  [...Map.groupBy(sums, of)]
    .map(([id, all]) => [id, all.reduce((sum, one) => sum + one[by], 0)] as const)
    .filter(([, sum]) => sum !== 0)
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));

async function compareLists(get: Get, query: Query, sums: readonly Sum[], region?: string): Promise<void> {
  const [start, params] = region === undefined ? ["/chain", {}] : ["/regions/:region", { region }];
  const last = lastDayOf(query);
  const ofCategory = sums.filter((one) => categoryOf(one.itemID, last) !== "");
  for (const by of measures) {
    const found = fieldIn(await get(`${start}/top-categories`, params, { ...query, by }), "categories");
    expect(shown(found, "category", by)).toEqual(summed(ofCategory, by, (one) => categoryOf(one.itemID, last)));
    for (const [path, list, member] of paths) {
      const body = await get(`${start}/${path}`, params, { ...query, by, limit: 50 });
      const best = summed(sums, by, (one) => one[member]);
      const [asked, entries] = [{ path, ...params, ...query, by }, shown(fieldIn(body, list), member, by)];
      expect({ ...asked, entries }).toEqual({ ...asked, entries: best });
      const total = list === "stores" ? [best.reduce((all, [, sum]) => all + sum, 0)] : [];
      expect([fieldIn(body, "total") ?? []].flat().map((one) => amountIn(one, by))).toEqual(total);
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

async function compareRegions(get: Get, query: Query, sums: readonly Sum[]): Promise<void> {
  for (const by of measures) {
    for (const itemID of new Set(sums.map((one) => one.itemID))) {
      const regionsOf = async (page: object) =>
        fieldIn(await get("/items/:itemID/top-regions", { itemID }, { ...query, by, ...page }), "regions");
      const own = sums.filter((one) => one.itemID === itemID);
      const expected = summed(own, by, ({ storeID }) => regionOf(storeID, lastDayOf(query)));
      const sold = shown(await regionsOf({}), "region", by);
      expect({ query, itemID, by, sold }).toEqual({ query, itemID, by, sold: expected });
      expect(shown(await regionsOf({ offset: 1, limit: 1 }), "region", by, 2)).toEqual(expected.slice(1, 2));
    }
  }
}

/** Of which the regions and the categories of a window are. */
const lastDayOf = ({ date, to = date ?? dayOf(0) }: Query): string => to;

type Query = Readonly<Record<string, string>>;
type Get = (path: string, params: object, query: object) => Promise<unknown>;

/** Compares the rank of an item in a store, and the items around it, with all counts of the store. */
export async function compareRanks(
  get: Get,
  params: { readonly storeID: number; readonly itemID: number },
  query: Query & { readonly by: string },
  all: readonly (readonly [item: number, count: number])[],
): Promise<void> {
  const at = all.findIndex(([id]) => id === params.itemID);
  for (const around of [undefined, 0, 1]) {
    const asked = { ...query, ...(around !== undefined && { around }) };
    const body = await get("/stores/:storeID/items/:itemID/rank", params, asked);
    const [each, first] = [around ?? 2, Math.max(at - (around ?? 2), 0)];
    expect(shown([body], "itemID", query.by, at < 0 ? null : at + 1)).toEqual([all[at] ?? [params.itemID, 0]]);
    const near = at < 0 ? [] : all.slice(first, at + each + 1);
    expect(shown(fieldIn(body, "around"), "itemID", query.by, first + 1)).toEqual(near);
  }
}

/** Compares the rankings of the chain with the sums of a window, those of regions with the sums of its rows. */
export async function compareChain(
  { get, writer }: { readonly get: Get; readonly writer: SqlReader },
  window: Query,
  { sums, isByDay }: { readonly sums: readonly Sum[]; readonly isByDay: boolean },
): Promise<void> {
  await compareLists(get, window, sums);
  const { date, from = date ?? "10000101", to = date ?? "99991231" } = window;
  await compareRegions(get, window, sums);
  if (!isByDay) return;
  const daily = await writer.query<Sum>(sumsOfRows("store_id, item, day"), [from, to]);
  const isAllTime = to === "99991231";
  for (const region of ["South", "North"]) {
    const own = daily.filter((one) => regionOf(one.storeID, isAllTime ? lastDayOf(window) : one.day) === region);
    await compareLists(get, window, own, region);
  }
}
