import { queryRoute, type Sources } from "@tally/contract";
import { Type, type Static, type TObject, type TSchema } from "typebox";
import { AsOf, ids, labels, parseTopLimit, type None } from "../values.ts";
import { Amount, asOf as exampleAsOf, exampleSeller, ItemParams, Name, Rank, withAmount } from "./best-sellers.ts";
import { byCategory, byRegion, ofChain, regionNamed } from "./chain-counts.ts";
import type { Count } from "./counts.ts";
import { exampleItem, items } from "./items.ts";
import { liveCounts, ofAll } from "./live-chain.ts";
import { resolveDate } from "./registry.ts";
import { storesOfItem } from "./series.ts";
import { exampleStore, stores } from "./stores.ts";
import { PageQuery, parseOffset, parseWindow, ShownWindow, WindowQuery, type Window } from "./window.ts";
import { countsIn, ifAvailable, liveOrCounted, storesWith, topIn } from "./window-counts.ts";

interface Asked<Query> {
  readonly params: { readonly region?: string };
  readonly query: Query;
}

type Shared = "summary" | "description" | "query" | "response" | "everyMs" | "examples";
type Ranking<Q extends TObject, R extends TSchema> = Pick<
  Parameters<typeof queryRoute<R, typeof None, Q>>[0],
  Shared
> & { readonly respond: (asked: Asked<Static<Q>>, sources: Sources) => Promise<Static<R>> };

const InRegion = Type.Object({ region: labels(60) });

/** A ranking of all stores, and of those of a region. */
function rankings<Q extends TObject, R extends TSchema>(name: string, { summary, ...route }: Ranking<Q, R>) {
  const [all, some] = [`all stores: ${summary}`, `the stores of a region: ${summary}`];
  return [
    queryRoute({ path: `/chain/${name}`, ...route, summary: all }),
    queryRoute({ path: `/regions/:region/${name}`, params: InRegion, ...route, summary: some, examples: {} }),
  ];
}

/** A page of a ranking of the chain: all but the list, the list, and the sum of all stores. Throws
 * InvalidInput. */
async function pageOf<T extends object>(
  sources: Sources,
  asked: Asked<Static<typeof PageQuery>>,
  list: "keys" | "members",
  of: (id: number) => T,
) {
  const { limit, offset, ...query } = asked.query;
  const page = { limit: parseTopLimit(limit), offset: parseOffset(offset) };
  const { owner, window, shown } = await ownerIn(sources, { ...asked, query }, list);
  const { asOf, entries, total = 0 } = await topIn(sources, owner, window, page);
  const names = await (list === "keys" ? items : stores).namesOf(sources, entries);
  const ranked = entries.map((one, at) => withAmount({ rank: one.rank, ...of(one.id), ...names[at] }, window.by, one));
  return [{ ...shown, asOf }, ranked, withAmount({}, window.by, { count: total })] as const;
}

type Chosen = Asked<Static<typeof WindowQuery>>;

async function ownerIn(sources: Sources, { params: { region }, query }: Chosen, list: "keys" | "members") {
  const { window, shown } = await parseWindow(sources, query);
  const days = query.from === undefined ? (["date", query.date] as const) : (["from", query.from] as const);
  const day = await lastDayOf(sources, window);
  if (region === undefined) return { owner: ofChain(list, days), window, shown, day };
  const found = await regionNamed(sources, region);
  // Of all time, the stores that it has today.
  const ofDay = { ...found, of: [day, found.of], has: (store: number) => found.has(store, day) };
  const own = window.days === undefined ? ofDay : found;
  return { owner: ofChain(list, days, own), window, shown: { region, ...shown }, day };
}

/** On which names of categories and of regions are those of the window: of all time, today. */
const lastDayOf = async (sources: Sources, { days }: Window): Promise<number> =>
  days?.at(-1) ?? resolveDate(sources, undefined, "today");

const about =
  "Of all time, of a `date`, or of all days from `from` to `to`. A region has the stores that are in it on that day, of all time those of today. Live days come from Redis, of a region if the best items of its stores prove the order. Others are added up from rows of sales: at most 300,000 of one day in about two seconds, or 3,000,000, or 1.5 GB of counts, of several days or of all time, one request at a time; 400 for more";

const exampleDay = { date: "20261121" };
const shownDay = { from: exampleDay.date, to: exampleDay.date, by: "quantity" } as const;
const named = { itemID: exampleItem.itemID, name: exampleItem.name };

const Region = { region: Type.Optional(Type.String()) };
const Ranking = { ...Region, ...ShownWindow, asOf: AsOf };

const topItems = rankings("top-items", {
  summary: "the items that sold most, 10 by default, and the age of the ranking",
  description: about,
  query: PageQuery,
  response: Type.Object({
    ...Ranking,
    items: Type.Array(Type.Object({ ...Rank, itemID: Type.Integer(), ...Name, ...Amount })),
  }),
  async respond(asked, sources) {
    const [shown, sold] = await pageOf(sources, asked, "keys", (itemID) => ({ itemID }));
    return { ...shown, items: sold };
  },
  examples: {
    "one day": {
      query: { ...exampleDay, limit: "1" },
      response: { ...shownDay, asOf: exampleAsOf, items: [{ rank: 1, ...named, quantity: 2 }] },
    },
  },
});

const topStores = rankings("top-stores", {
  summary: "those that sold most, 10 by default, what all of them sold, and the age of the ranking",
  description: about,
  query: PageQuery,
  response: Type.Object({
    ...Ranking,
    total: Type.Object(Amount),
    stores: Type.Array(Type.Object({ ...Rank, storeID: Type.Integer(), ...Name, ...Amount })),
  }),
  async respond(asked, sources) {
    const [shown, sellers, total] = await pageOf(sources, asked, "members", (storeID) => ({ storeID }));
    return { ...shown, total, stores: sellers };
  },
  examples: {
    "one day": {
      query: { ...exampleDay, limit: "1" },
      response: { ...shownDay, asOf: exampleAsOf, total: { quantity: 1 }, stores: [{ rank: 1, ...exampleSeller }] },
    },
  },
});

const topRegions = queryRoute({
  path: "/items/:itemID/top-regions",
  summary: "how much of an item the stores of each region sold, the first 10 by default, and the age of the ranking",
  description:
    "Of all time, of a `date`, or of all days from `from` to `to`. Of the region that each store has on the last day, of all time today. Stores without one are left out",
  params: ItemParams,
  query: PageQuery,
  response: Type.Object({
    itemID: Type.Integer(),
    ...Name,
    ...ShownWindow,
    asOf: AsOf,
    regions: Type.Array(Type.Object({ ...Rank, region: Type.String(), ...Amount })),
  }),
  async respond({ params, query: { limit, offset, ...query } }, sources) {
    const itemID = ids.parse("itemID", params.itemID);
    const [first, most] = [parseOffset(offset), parseTopLimit(limit)];
    const { window, shown } = await parseWindow(sources, query);
    const day = await lastDayOf(sources, window);
    const live = await ifAvailable(liveCounts(sources.boards, window, (series) => storesOfItem(itemID, series)));
    const counted = async () => {
      const found = await countsIn(sources, storesWith(itemID), window);
      return { asOf: found.asOf, counts: found.counts.all() };
    };
    const { asOf, counts } = live ?? (await counted());
    const [[name], sold] = await Promise.all([
      items.namesOf(sources, [{ id: itemID }]),
      byRegion(sources, day, counts),
    ]);
    const page = sold.slice(first, first + most);
    const regions = page.map((one) => withAmount({ rank: one.rank, region: one.name }, window.by, one));
    return { itemID, ...name, ...shown, asOf, regions };
  },
  examples: {
    "one day": {
      params: { itemID: "85571" },
      query: exampleDay,
      response: {
        ...named,
        ...shownDay,
        asOf: exampleAsOf,
        regions: [{ rank: 1, region: exampleStore.region, quantity: 2 }],
      },
    },
  },
});

// 100,000 items are read in a hundred steps, also by a busy gateway.
const wholeBoardWithinMs = 5000;

const topCategories = rankings("top-categories", {
  summary: "how much the items of each category sold",
  description: `${about}. Categories of a region are always added up. Items count in the category that they have on the last day, of all time today; those without one are left out. A watch repeats it every 15 s`,
  query: WindowQuery,
  response: Type.Object({
    ...Region,
    ...ShownWindow,
    categories: Type.Array(Type.Object({ ...Rank, category: Type.String(), ...Amount })),
  }),
  // 100,000 items take 0.22 s of a core: 1.5 % while it is watched.
  everyMs: 15_000,
  async respond(asked, sources) {
    const { owner, window, shown, day } = await ownerIn(sources, asked, "keys");
    const live = async () =>
      asked.params.region === undefined ? liveCounts(sources.boards, window, ofAll("keys")) : undefined;
    const count = async () => ({ counts: (await countsIn(sources, owner, window)).counts.all() });
    const { counts } = await liveOrCounted<{ counts: Iterable<Count> }>(live(), count, wholeBoardWithinMs);
    const sold = await byCategory(sources, day, counts);
    return {
      ...shown,
      categories: sold.map((one) => withAmount({ rank: one.rank, category: one.name }, window.by, one)),
    };
  },
  examples: {
    "one day": {
      query: exampleDay,
      response: { ...shownDay, categories: [{ rank: 1, category: exampleItem.category, quantity: 2 }] },
    },
  },
});

export const chainQueries = [...topItems, ...topStores, topRegions, ...topCategories];
