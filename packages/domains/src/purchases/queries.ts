import { queryRoute, type View } from "@tally/contract";
import { Type } from "typebox";
import { ids } from "../values.ts";
import { alertRules } from "./alert-rules.ts";
import { bestSellers, ItemParams, StoreParams } from "./best-sellers.ts";
import { chainQueries } from "./chain.ts";
import { salesOfChain } from "./chain-sales.ts";
import { latestPurchases, listPurchases } from "./list-purchases.ts";
import { onePurchase } from "./one-purchase.ts";
import { salesOfDay } from "./sales-of-store.ts";
import { measures } from "./series.ts";
import { items } from "./items.ts";
import { stores } from "./stores.ts";
import { allTime } from "./window.ts";
import { itemsIn, storesWith, topIn } from "./window-counts.ts";

const tenItemsOfStore = queryRoute({
  path: "/items/store/:storeID",
  summary: "the 10 items that sold most in a store",
  description: "`stores` is the key of the published specification",
  params: StoreParams,
  storeOf: ({ params }) => ids.parse("storeID", params.storeID),
  response: Type.Object({ stores: Type.Array(Type.Object({ itemID: Type.Integer(), numberOfItems: Type.Integer() })) }),
  async respond({ params }, sources) {
    const storeID = ids.parse("storeID", params.storeID);
    const { entries } = await topIn(sources, itemsIn(storeID), allTime, { limit: 10 });
    return { stores: entries.map(({ id, count }) => ({ itemID: id, numberOfItems: count })) };
  },
  examples: {
    "a store": {
      params: { storeID: "5" },
      response: {
        stores: [
          { itemID: 4242, numberOfItems: 4 },
          { itemID: 85571, numberOfItems: 3 },
        ],
      },
    },
  },
});

const topStoresOfItem = (limit: number) =>
  queryRoute({
    path: `/items/top${limit}/:itemID`,
    summary: `the ${limit} stores that sold most of an item`,
    params: ItemParams,
    response: Type.Object({
      stores: Type.Array(Type.Object({ storeID: Type.Integer(), numberOfItems: Type.Integer() })),
    }),
    async respond({ params }, sources) {
      const itemID = ids.parse("itemID", params.itemID);
      const { entries } = await topIn(sources, storesWith(itemID), allTime, { limit });
      return { stores: entries.map(({ id, count }) => ({ storeID: id, numberOfItems: count })) };
    },
    examples: {
      "an item": {
        params: { itemID: "85571" },
        response: {
          stores: [
            { storeID: 5, numberOfItems: 3 },
            { storeID: 7, numberOfItems: 2 },
          ],
        },
      },
    },
  });

export const queries = [
  tenItemsOfStore,
  topStoresOfItem(5),
  topStoresOfItem(10),
  ...bestSellers,
  ...chainQueries,
  listPurchases,
  latestPurchases,
  onePurchase,
  salesOfDay,
  salesOfChain,
  alertRules,
  ...stores.queries,
  ...items.queries,
];

const choicesOf = (...choices: readonly [usual: string, ...string[]]): View["params"] => [
  { name: "date", label: "Days", kind: "date", default: choices[0], choices: [...choices] },
  { name: "by", label: "By", kind: "choice", default: "quantity", choices: [...measures] },
];
const choices = choicesOf("all", "today", "yesterday");
const choicesOfChain = choicesOf("today", "yesterday");
const sold = { memberName: "name", count: { field: "{by}", label: "Sold" } } as const;
const itemsSold = { list: "items", member: { field: "itemID", label: "Item" }, ...sold };
const storesSold = { list: "stores", member: { field: "storeID", label: "Store" }, ...sold };

export const views: readonly View[] = [
  {
    name: "top-items",
    title: "Top items of a store",
    params: [{ name: "storeID", label: "Store", kind: "id", default: "1" }, ...choices],
    path: "/stores/{storeID}/top-items?limit=10&date={date}&by={by}",
    ...itemsSold,
  },
  {
    name: "top-stores",
    title: "Top stores of an item",
    params: [{ name: "itemID", label: "Item", kind: "id", default: "1" }, ...choices],
    path: "/items/{itemID}/top-stores?limit=10&date={date}&by={by}",
    ...storesSold,
  },
  {
    name: "chain-items",
    title: "Top items of the chain",
    params: choicesOfChain,
    path: "/chain/top-items?limit=10&date={date}&by={by}",
    ...itemsSold,
  },
  {
    name: "chain-stores",
    title: "Top stores of the chain",
    params: choicesOfChain,
    path: "/chain/top-stores?limit=10&date={date}&by={by}",
    ...storesSold,
  },
];
