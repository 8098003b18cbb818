import { boardsOfSeries, chainBoards, firstLiveDay, sumOfCounts, type Sources } from "@tally/contract";
import { topLimitMax } from "../values.ts";
import { firstCounts, type Count } from "./counts.ts";
import { itemsOfStore, sales, seriesOf, storesOfItem } from "./series.ts";
import type { Window } from "./window.ts";

/*
 * What the boards of a live day say of the chain and of its regions. A region has no board: its best items are found in
 * the boards of its stores, which hold only their best, by the threshold algorithm (Fagin, Lotem, Naor 2001). The boards
 * are read one after the other: a sale in between may be missing until the next read.
 */

/** `stores`: those that were in it on any day. `of`: equal for regions whose `has` is equal. */
export interface Region {
  readonly stores: readonly number[];
  readonly of: unknown;
  has(store: number, day: number): boolean;
}

type Boards = Sources["boards"];

/** All counts of a board of a window, which has all of its members; undefined: it is neither all time nor one live day,
 * or not kept. */
export async function liveCounts(boards: Boards, { by, days = [] }: Window, boardOf: (series: string) => string) {
  const [day, more] = days;
  if (more !== undefined || (day !== undefined && day < firstLiveDay(Date.now()))) return undefined;
  const series = seriesOf(by, day);
  const board = boardOf(series);
  if (board === "") return undefined;
  const { cells, asOf } = await boards.whole([board]);
  const [found] = cells;
  const counts = found && Array.from(found, ([id, count]): Count => ({ id: Number(id), count }));
  return counts && { asOf: asOf === undefined ? null : new Date(asOf).toISOString(), series, counts };
}

/** The board of all items, or of all stores, of a day; of all time there is none. */
export const ofAll = (list: "keys" | "members") => (series: string) =>
  chainBoards(boardsOfSeries(sales, series))?.[list] ?? "";

/** The first items or stores of a region; undefined: as above, or the boards of its stores do not prove the order. */
export async function topOfRegion(
  boards: Boards,
  region: Region,
  { window, list, limit }: { readonly window: Window; readonly list: "keys" | "members"; readonly limit: number },
) {
  const found = await liveCounts(boards, window, ofAll("members"));
  if (found === undefined) return undefined;
  const [day = 0] = window.days ?? [];
  const counts = found.counts.filter(({ id }) => region.has(id, day));
  const total = counts.reduce((sum, { count }) => sumOfCounts(sum, count), 0);
  // Also those whose items add up to 0.
  const stores = region.stores.filter((store) => region.has(store, day));
  const entries =
    list === "members" ? firstCounts(counts, limit) : await topItemsOf(boards, stores, found.series, limit);
  return entries && { asOf: found.asOf, total, entries };
}

const itemsAtOnce = 100;
const itemsMax = 1000;

async function topItemsOf(boards: Boards, stores: readonly number[], series: string, limit: number) {
  const tops = await Promise.all(stores.map((store) => boards.top(itemsOfStore(store, series), topLimitMax)));
  if (tops.some(({ isExact }) => !isExact)) return undefined;
  // An item that is not among the first of a store has at most as many there as the last of them.
  const floors = tops.map(({ entries }) =>
    entries.length < topLimitMax ? 0 : Math.max(0, entries.at(-1)?.count ?? 0),
  );
  const floor = floors.reduce((sum, one) => sum + one, 0);
  const atMost = new Map<string, number>();
  for (const [at, { entries }] of tops.entries())
    for (const { member, count } of entries)
      atMost.set(member, (atMost.get(member) ?? floor) + count - (floors[at] ?? 0));
  // All items with a count are among the first of their stores.
  const isComplete = tops.every(({ entries }) => entries.length < topLimitMax);
  if (isComplete && atMost.size === 0) return [];
  const candidates = [...atMost].toSorted(([, one], [, other]) => other - one);
  const sums: Count[] = [];
  for (let from = 0; from < Math.min(candidates.length, itemsMax); from += itemsAtOnce) {
    const some = candidates.slice(from, from + itemsAtOnce).map(([item]) => item);
    const { cells } = await boards.whole(some.map((item) => storesOfItem(Number(item), series)));
    for (const [at, item] of some.entries()) {
      const own = cells[at];
      if (own === undefined) return undefined;
      const count = stores.reduce((sum, store) => sumOfCounts(sum, own.get(String(store)) ?? 0), 0);
      if (count !== 0) sums.push({ id: Number(item), count });
    }
    const [, next = 0] = candidates[from + itemsAtOnce] ?? [];
    const first = firstCounts(sums, limit);
    const last = first[limit - 1];
    if (last !== undefined && last.count > Math.max(next, floor)) return first;
    if (isComplete && from + itemsAtOnce >= candidates.length) return first;
  }
  return undefined;
}
