import { queryRoute, type Sources } from "@tally/contract";
import { Type, type Static } from "typebox";
import { AsOf, closed, ids, parseTopLimit, wholeNumbers } from "../values.ts";
import type { Count } from "./counts.ts";
import { exampleItem, items } from "./items.ts";
import { moneyText } from "./money.ts";
import type { Measure } from "./series.ts";
import { exampleStore, stores } from "./stores.ts";
import { PageQuery, parseOffset, parseWindow, ShownWindow, WindowQuery } from "./window.ts";
import { itemsIn, rankIn, storesWith, topIn, type Owner } from "./window-counts.ts";

export const StoreParams = Type.Object({ storeID: ids.Text });
export const ItemParams = Type.Object({ itemID: ids.Text });
const RankParams = Type.Object({ ...StoreParams.properties, ...ItemParams.properties });

/** The name of a registered store or item. */
export const Name = { name: Type.Optional(Type.String()) };
export const Rank = { rank: Type.Integer() };

/** The field that `by` names. */
export const Amount = {
  quantity: Type.Optional(Type.Integer()),
  grossSales: Type.Optional(Type.String()),
  netSales: Type.Optional(Type.String()),
};
export const withAmount = <T extends object>(shown: T, by: Measure, { count }: Pick<Count, "count">) =>
  Object.assign(shown, by === "quantity" ? { quantity: count } : { [by]: moneyText(count) });

const about =
  "Of all time, of a `date` (yyyymmdd, `today` or `yesterday`), or of all days from `from` to `to`, at most 366. `by` quantity (default: sold less taken back), `grossSales` or `netSales`, which are decimal texts in `currency`. Refunds count on their own day, so a day may have negative counts";

export const asOf = "2026-11-21T09:30:00.087Z";
const { name } = exampleItem;
const best = { rank: 1, itemID: 4242, quantity: 4 };
const second = { rank: 2, itemID: 85571, name, quantity: 3 };
export const exampleSeller = { storeID: 7, name: exampleStore.name, quantity: 2 };

const Ranking = { ...Name, ...ShownWindow, asOf: AsOf };

async function pageOf<T extends object>(
  sources: Sources,
  owner: Owner,
  { limit, offset, ...asked }: Static<typeof PageQuery>,
  {
    owners,
    members,
    of,
    storeID,
  }: Record<"owners" | "members", Pick<typeof items, "namesOf">> & { of: (id: number) => T; storeID?: number },
) {
  const page = { limit: parseTopLimit(limit), offset: parseOffset(offset) };
  const { window, shown } = await parseWindow(sources, asked, storeID);
  const { entries, ...age } = await topIn(sources, owner, window, page);
  const [[own], names] = await Promise.all([owners.namesOf(sources, [owner]), members.namesOf(sources, entries)]);
  const ranked = entries.map((one, at) => withAmount({ rank: one.rank, ...of(one.id), ...names[at] }, window.by, one));
  return [{ ...own, ...shown, ...age }, ranked] as const;
}

const storeBoard = queryRoute({
  path: "/stores/:storeID/top-items",
  summary: "the items that sold most in a store, 10 by default, and the age of the ranking",
  description: `${about}. Today is the store's`,
  params: StoreParams,
  storeOf: ({ params }) => ids.parse("storeID", params.storeID),
  query: PageQuery,
  response: Type.Object({
    storeID: Type.Integer(),
    ...Ranking,
    items: Type.Array(Type.Object({ ...Rank, itemID: Type.Integer(), ...Name, ...Amount })),
  }),
  async respond({ params, query }, sources) {
    const storeID = ids.parse("storeID", params.storeID);
    const asked = { owners: stores, members: items, of: (itemID: number) => ({ itemID }), storeID };
    const [shown, sold] = await pageOf(sources, itemsIn(storeID), query, asked);
    return { storeID, ...shown, items: sold };
  },
  examples: {
    "all days": {
      params: { storeID: "5" },
      query: { limit: "10" },
      response: { storeID: 5, by: "quantity", asOf, items: [best, second] },
    },
    "turnover of one day": {
      params: { storeID: "7" },
      query: { date: "20261121", by: "netSales" },
      response: {
        storeID: 7,
        name: exampleStore.name,
        from: "20261121",
        to: "20261121",
        by: "netSales",
        currency: exampleStore.currency,
        asOf,
        items: [{ rank: 1, itemID: 85571, name, netSales: "3.4800" }],
      },
    },
  },
});

const itemBoard = queryRoute({
  path: "/items/:itemID/top-stores",
  summary: "the stores that sold most of an item, 10 by default, and the age of the ranking",
  description: `${about}. Today is that of most registered stores`,
  params: ItemParams,
  query: PageQuery,
  response: Type.Object({
    itemID: Type.Integer(),
    ...Ranking,
    stores: Type.Array(Type.Object({ ...Rank, storeID: Type.Integer(), ...Name, ...Amount })),
  }),
  async respond({ params, query }, sources) {
    const itemID = ids.parse("itemID", params.itemID);
    const asked = { owners: items, members: stores, of: (storeID: number) => ({ storeID }) };
    const [shown, sellers] = await pageOf(sources, storesWith(itemID), query, asked);
    return { itemID, ...shown, stores: sellers };
  },
  examples: {
    "an item": {
      params: { itemID: "85571" },
      query: { limit: "10" },
      response: {
        itemID: 85571,
        name,
        by: "quantity",
        asOf,
        stores: [
          { rank: 1, storeID: 5, quantity: 3 },
          { rank: 2, ...exampleSeller },
        ],
      },
    },
    "the second store of two days": {
      params: { itemID: "85571" },
      query: { from: "20261120", to: "20261121", limit: "1", offset: "1" },
      response: {
        itemID: 85571,
        name,
        from: "20261120",
        to: "20261121",
        by: "quantity",
        asOf,
        stores: [{ rank: 2, ...exampleSeller }],
      },
    },
  },
});

const arounds = wholeNumbers(0, 10);

const rankOfItem = queryRoute({
  path: "/stores/:storeID/items/:itemID/rank",
  summary: "the rank of an item in a store, between the items around it: 2 on each side, or as `around` says",
  description: `${about}. \`rank\` is null without a count`,
  params: RankParams,
  storeOf: ({ params }) => ids.parse("storeID", params.storeID),
  query: closed({ ...WindowQuery.properties, around: Type.Optional(arounds.Text) }),
  response: Type.Object({
    storeID: Type.Integer(),
    itemID: Type.Integer(),
    ...Ranking,
    rank: Type.Union([Type.Integer(), Type.Null()]),
    ...Amount,
    around: Type.Array(Type.Object({ ...Rank, itemID: Type.Integer(), ...Name, ...Amount })),
  }),
  async respond({ params, query: { around: each = "2", ...asked } }, sources) {
    const [storeID, itemID] = [ids.parse("storeID", params.storeID), ids.parse("itemID", params.itemID)];
    const near = { id: itemID, each: arounds.parse("around", each) };
    const { window, shown } = await parseWindow(sources, asked, storeID);
    const { around: found = [], ...age } = await rankIn(sources, itemsIn(storeID), window, near);
    const { rank, count } = found.find(({ id }) => id === itemID) ?? { rank: null, count: 0 };
    const [named, ...names] = await items.namesOf(sources, [near, ...found]);
    const around = found.map((one, at) => withAmount({ rank: one.rank, itemID: one.id, ...names[at] }, window.by, one));
    return withAmount({ storeID, itemID, ...named, ...shown, ...age, rank, around }, window.by, { count });
  },
  examples: {
    "the second item": {
      params: { storeID: "5", itemID: "85571" },
      response: {
        storeID: 5,
        itemID: 85571,
        name,
        by: "quantity",
        asOf,
        rank: 2,
        quantity: 3,
        around: [best, second],
      },
    },
  },
});

export const bestSellers = [storeBoard, itemBoard, rankOfItem];
