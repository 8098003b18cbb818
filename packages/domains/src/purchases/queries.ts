import { queryRoute, type Sources } from "@tally/pipeline";
import { Type } from "typebox";
import { AsOf, timeOf } from "../as-of.ts";
import { ids, TopLimitText, None, parseTopLimit } from "../request-values.ts";
import { parseCalendarDate } from "./calendar-date.ts";
import { listPurchases } from "./list-purchases.ts";
import { itemsOfStore, storesOfItem } from "./rank.ts";
import { topItemsOfDay } from "./top-items-of-day.ts";

const StoreParams = Type.Object({ storeID: ids.Text });
const ItemParams = Type.Object({ itemID: ids.Text });
const LimitQuery = Type.Object({ limit: Type.Optional(TopLimitText) }, { additionalProperties: false });

// "stores" holds items here: the key is the published specification's (contract, section 5).
const TopItems = Type.Object({
  stores: Type.Array(Type.Object({ itemID: Type.Integer(), numberOfItems: Type.Integer() })),
});
const TopStores = Type.Object({
  stores: Type.Array(Type.Object({ storeID: Type.Integer(), numberOfItems: Type.Integer() })),
});

const topItemsOfStore = queryRoute({
  path: "/items/store/:storeID",
  params: StoreParams,
  storeOf: ({ params }) => ids.parse("storeID", params.storeID),
  query: None,
  response: TopItems,
  async respond({ params }, { boards }) {
    const { entries } = await boards.top(itemsOfStore(ids.parse("storeID", params.storeID)), 10);
    return { stores: entries.map(({ member, count }) => ({ itemID: Number(member), numberOfItems: count })) };
  },
});

const topStoresOfItem = (path: string, limit: number) =>
  queryRoute({
    path,
    params: ItemParams,
    query: None,
    response: TopStores,
    async respond({ params }, { boards }) {
      const { entries } = await boards.top(storesOfItem(ids.parse("itemID", params.itemID)), limit);
      return { stores: entries.map(({ member, count }) => ({ storeID: Number(member), numberOfItems: count })) };
    },
  });

const storeBoard = queryRoute({
  path: "/stores/:storeID/top-items",
  params: StoreParams,
  storeOf: ({ params }) => ids.parse("storeID", params.storeID),
  query: Type.Object(
    {
      limit: Type.Optional(TopLimitText),
      date: Type.Optional(Type.String({ expected: "a calendar date as yyyymmdd" })),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({
    storeID: Type.Integer(),
    date: Type.Optional(Type.String()),
    asOf: AsOf,
    items: Type.Array(Type.Object({ itemID: Type.Integer(), quantity: Type.Integer() })),
  }),
  async respond({ params, query }, sources) {
    const storeID = ids.parse("storeID", params.storeID);
    const limit = parseTopLimit(query.limit);
    if (query.date !== undefined) {
      const items = await topItemsOfDay(sources.rows, storeID, parseCalendarDate("date", query.date), limit);
      return { storeID, date: query.date, asOf: new Date().toISOString(), items };
    }
    const top = await sources.boards.top(itemsOfStore(storeID), limit);
    return {
      storeID,
      asOf: timeOf(top),
      items: top.entries.map(({ member, count }) => ({ itemID: Number(member), quantity: count })),
    };
  },
});

const itemBoard = queryRoute({
  path: "/items/:itemID/top-stores",
  params: ItemParams,
  query: LimitQuery,
  response: Type.Object({
    itemID: Type.Integer(),
    asOf: AsOf,
    stores: Type.Array(Type.Object({ storeID: Type.Integer(), quantity: Type.Integer() })),
  }),
  async respond({ params, query }, { boards }: Sources) {
    const itemID = ids.parse("itemID", params.itemID);
    const top = await boards.top(storesOfItem(itemID), parseTopLimit(query.limit));
    return {
      itemID,
      asOf: timeOf(top),
      stores: top.entries.map(({ member, count }) => ({ storeID: Number(member), quantity: count })),
    };
  },
});

/** What can be asked about purchases: the contract's rankings, the same boards with readable keys, and the rows. */
export const queries = [
  topItemsOfStore,
  topStoresOfItem("/items/top5/:itemID", 5),
  topStoresOfItem("/items/top10/:itemID", 10),
  storeBoard,
  itemBoard,
  listPurchases,
];
