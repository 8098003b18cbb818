import { queryRoute, type Sources } from "@tally/contract";
import { Type, type Static } from "typebox";
import { AsOf, parseTopLimit } from "../values.ts";
import { Amount, Name, withAmount } from "./best-sellers.ts";
import { itemsOfChain, storesOfChain } from "./chain-counts.ts";
import { exampleItem, items } from "./items.ts";
import { exampleStore, stores } from "./stores.ts";
import { PageQuery, parseOffset, parseWindow, ShownWindow } from "./window.ts";
import { topIn, type Owner } from "./window-counts.ts";

/** A page of a ranking of the chain, by default of today. Throws InvalidInput. */
async function pageOf(sources: Sources, query: Static<typeof PageQuery>, owner: Owner) {
  const page = { limit: parseTopLimit(query.limit), offset: parseOffset(query.offset) };
  const isToday = query.date === undefined && query.from === undefined && query.to === undefined;
  const { window, shown } = await parseWindow(sources, isToday ? { ...query, date: "today" } : query);
  return { ...(await topIn(sources, owner, window, page)), by: window.by, shown };
}

const about =
  "Of today by default. A day that is not live and several days are added up in the database, for which a chain with many sales takes seconds";

const topItems = queryRoute({
  path: "/top-items",
  summary: "the items that sold most in all stores, 10 by default, and the age of the ranking",
  description: about,
  params: Type.Object({}),
  query: PageQuery,
  response: Type.Object({
    ...ShownWindow,
    asOf: AsOf,
    items: Type.Array(Type.Object({ itemID: Type.Integer(), ...Name, ...Amount })),
  }),
  async respond({ query }, sources) {
    const { shown, asOf, entries, by } = await pageOf(sources, query, itemsOfChain);
    const names = await items.namesOf(sources, entries);
    const sold = entries.map((one, at) => withAmount({ itemID: one.id, ...names[at] }, by, one));
    return { ...shown, asOf, items: sold };
  },
  examples: {
    "one day": {
      query: { date: "20261121", limit: "1" },
      response: {
        date: "20261121",
        by: "quantity",
        asOf: "2026-11-21T09:30:00.087Z",
        items: [{ itemID: 85571, name: exampleItem.name, quantity: 2 }],
      },
    },
  },
});

const topStores = queryRoute({
  path: "/top-stores",
  summary: "the stores that sold most, 10 by default, what all stores sold, and the age of the ranking",
  description: about,
  params: Type.Object({}),
  query: PageQuery,
  response: Type.Object({
    ...ShownWindow,
    asOf: AsOf,
    total: Type.Object(Amount),
    stores: Type.Array(Type.Object({ storeID: Type.Integer(), ...Name, ...Amount })),
  }),
  async respond({ query }, sources) {
    const { shown, asOf, entries, total, by } = await pageOf(sources, query, storesOfChain);
    const names = await stores.namesOf(sources, entries);
    const sellers = entries.map((one, at) => withAmount({ storeID: one.id, ...names[at] }, by, one));
    return { ...shown, asOf, total: withAmount({}, by, { count: total ?? 0 }), stores: sellers };
  },
  examples: {
    "one day": {
      query: { date: "20261121", limit: "1" },
      response: {
        date: "20261121",
        by: "quantity",
        asOf: "2026-11-21T09:30:00.087Z",
        total: { quantity: 1 },
        stores: [{ storeID: 7, name: exampleStore.name, quantity: 2 }],
      },
    },
  },
});

export const chainQueries = [topItems, topStores];
