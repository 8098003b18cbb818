import { queryRoute, type View } from "@tally/contract";
import { Type } from "typebox";
import { AsOf, closed, ids, None, parseTopLimit, TopLimit, topOf } from "../values.ts";
import { DateText, parseCalendarDate } from "./calendar-date.ts";
import { latestPurchases, listPurchases } from "./list-purchases.ts";
import { onePurchase } from "./one-purchase.ts";
import { salesOfDay } from "./sales-of-store.ts";
import { storesOfItem } from "./series.ts";
import { listStores, oneStore } from "./stores.ts";
import { topItemsOfDay } from "./top-items-of-day.ts";
import { topItemsOfStore } from "./top-items-of-store.ts";

const StoreParams = Type.Object({ storeID: ids.Text });
const ItemParams = Type.Object({ itemID: ids.Text });

const tenItemsOfStore = queryRoute({
  path: "/items/store/:storeID",
  summary: "the 10 items that sold most in a store",
  description: "`stores` is the key of the published specification",
  params: StoreParams,
  storeOf: ({ params }) => ids.parse("storeID", params.storeID),
  query: None,
  response: Type.Object({
    stores: Type.Array(Type.Object({ itemID: Type.Integer(), numberOfItems: Type.Integer() })),
  }),
  async respond({ params }, sources) {
    const { items } = await topItemsOfStore(sources, ids.parse("storeID", params.storeID), 10);
    return { stores: items.map(({ itemID, quantity }) => ({ itemID, numberOfItems: quantity })) };
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

const topStoresOfItem = (path: string, limit: number) =>
  queryRoute({
    path,
    summary: `the ${limit} stores that sold most of an item`,
    params: ItemParams,
    query: None,
    response: Type.Object({
      stores: Type.Array(Type.Object({ storeID: Type.Integer(), numberOfItems: Type.Integer() })),
    }),
    async respond({ params }, { boards }) {
      const board = storesOfItem(ids.parse("itemID", params.itemID));
      const top = await topOf(boards, board, limit, (id, numberOfItems) => ({ storeID: Number(id), numberOfItems }));
      return { stores: top.entries };
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

const storeBoard = queryRoute({
  path: "/stores/:storeID/top-items",
  summary: "the items that sold most in a store, 10 by default, and the age of the ranking",
  description: "With `date` (yyyymmdd) of that day only, counted from the rows",
  params: StoreParams,
  storeOf: ({ params }) => ids.parse("storeID", params.storeID),
  query: closed({ limit: TopLimit, date: Type.Optional(DateText) }),
  response: Type.Object({
    storeID: Type.Integer(),
    date: Type.Optional(Type.String()),
    asOf: AsOf,
    items: Type.Array(Type.Object({ itemID: Type.Integer(), quantity: Type.Integer() })),
  }),
  async respond({ params, query: { date, limit: limitText } }, sources) {
    const storeID = ids.parse("storeID", params.storeID);
    const limit = parseTopLimit(limitText);
    if (date !== undefined) {
      const items = await topItemsOfDay(sources.rows, { storeID, date: parseCalendarDate("date", date), limit });
      return { storeID, date, asOf: new Date().toISOString(), items };
    }
    return { storeID, ...(await topItemsOfStore(sources, storeID, limit)) };
  },
  examples: {
    "all days": {
      params: { storeID: "5" },
      query: { limit: "10" },
      response: {
        storeID: 5,
        asOf: "2026-11-20T17:04:09.512Z",
        items: [
          { itemID: 4242, quantity: 4 },
          { itemID: 85571, quantity: 3 },
        ],
      },
    },
    "one day": {
      params: { storeID: "7" },
      query: { date: "20261121" },
      response: {
        storeID: 7,
        date: "20261121",
        asOf: "2026-11-21T09:30:00.087Z",
        items: [{ itemID: 85571, quantity: 2 }],
      },
    },
  },
});

const itemBoard = queryRoute({
  path: "/items/:itemID/top-stores",
  summary: "the stores that sold most of an item, 10 by default, and the age of the ranking",
  params: ItemParams,
  query: closed({ limit: TopLimit }),
  response: Type.Object({
    itemID: Type.Integer(),
    asOf: AsOf,
    stores: Type.Array(Type.Object({ storeID: Type.Integer(), quantity: Type.Integer() })),
  }),
  async respond({ params, query: { limit } }, { boards }) {
    const itemID = ids.parse("itemID", params.itemID);
    const board = storesOfItem(itemID);
    const { asOf, entries } = await topOf(boards, board, limit, (id, quantity) => ({ storeID: Number(id), quantity }));
    return { itemID, asOf, stores: entries };
  },
  examples: {
    "an item": {
      params: { itemID: "85571" },
      query: { limit: "10" },
      response: {
        itemID: 85571,
        asOf: "2026-11-21T09:30:00.087Z",
        stores: [
          { storeID: 5, quantity: 3 },
          { storeID: 7, quantity: 2 },
        ],
      },
    },
  },
});

export const queries = [
  tenItemsOfStore,
  topStoresOfItem("/items/top5/:itemID", 5),
  topStoresOfItem("/items/top10/:itemID", 10),
  storeBoard,
  itemBoard,
  listPurchases,
  latestPurchases,
  onePurchase,
  salesOfDay,
  listStores,
  oneStore,
];

const storeParameter = { name: "storeID", label: "Store", kind: "id", default: "1" } as const;
const itemsBySold = {
  list: "items",
  member: { field: "itemID", label: "Item" },
  count: { field: "quantity", label: "Sold" },
  bars: true,
} as const;

export const views: readonly View[] = [
  {
    name: "top-items",
    title: "Top items of a store",
    params: [storeParameter],
    path: "/stores/{storeID}/top-items?limit=10",
    ...itemsBySold,
  },
  {
    name: "top-items-of-day",
    title: "Top items of a store on a day",
    params: [storeParameter, { name: "date", label: "Date", kind: "date", default: "today" }],
    path: "/stores/{storeID}/top-items?limit=10&date={date}",
    ...itemsBySold,
  },
  {
    name: "top-stores",
    title: "Top stores of an item",
    params: [{ name: "itemID", label: "Item", kind: "id", default: "1" }],
    path: "/items/{itemID}/top-stores?limit=10",
    list: "stores",
    member: { field: "storeID", label: "Store" },
    count: { field: "quantity", label: "Sold" },
    bars: true,
  },
];
