import { createTallyClient, type Purchase } from "@tally/client";
import { until } from "@tally/local";
import { businessDate } from "./chain.ts";
import type { GatewayAddress } from "./day-player.ts";
import type { DayPlan } from "./plan-day.ts";

/** The ranking of the items of a store, or of the stores of an item, on a business day, and what the demo itself has
 * counted. Amounts: in cents. */
interface DayBoard {
  readonly of: "store" | "item";
  readonly id: number;
  readonly date: string;
  readonly by: "quantity" | "netSales";
  readonly counts: Map<number, number>;
}

const shownMax = 100;
const rankedWithinMs = 5000;
const atOnce = 16;

/** The boards of stores of the day that have no sales yet: only their counts will be those of the demo. */
export async function emptyBoards(gateway: GatewayAddress, plan: DayPlan): Promise<readonly DayBoard[]> {
  const empty: DayBoard[] = [];
  for (const { id, zone } of plan.stores)
    for (const atMs of [plan.startsAtMs, plan.endsAtMs - 1])
      for (const by of ["quantity", "netSales"] as const) {
        const date = String(businessDate(atMs, zone));
        const board: DayBoard = { of: "store", id, date, by, counts: new Map() };
        if ((await topOf(gateway, board)).length === 0) empty.push(board);
      }
  return empty;
}

/** The same counts by item and store. */
function boardsOfItems(boards: readonly DayBoard[]): readonly DayBoard[] {
  const ofItems = new Map<string, DayBoard>();
  for (const { id: store, date, by, counts } of boards)
    for (const [id, count] of counts)
      ofItems
        .getOrInsertComputed(`${id} ${date} ${by}`, () => ({ of: "item", id, date, by, counts: new Map() }))
        .counts.set(store, count);
  return [...ofItems.values()];
}

/** Counts all lines of an acknowledged purchase; `times` -1: takes them back. */
export function addTo(boards: readonly DayBoard[], { storeID, date, items }: Purchase, times: 1 | -1): void {
  for (const { by, counts } of boards.filter((board) => board.id === Number(storeID) && board.date === String(date)))
    for (const { ItemID, numberOfItems, unitPrice = "0" } of items) {
      const each = by === "quantity" ? 1 : Math.round(100 * Number(unitPrice));
      counts.set(Number(ItemID), (counts.get(Number(ItemID)) ?? 0) + times * each * Number(numberOfItems));
    }
}

/** `differing`: boards whose first 100 are not those that the demo has counted, also after 5 s. */
export async function compareBoards(gateway: GatewayAddress, ofStores: readonly DayBoard[]) {
  const boards = [...ofStores, ...boardsOfItems(ofStores)];
  const keyOf = (store: number, { date, by }: DayBoard): string => `${store} ${date} ${by}`;
  const counted = new Set(ofStores.map((board) => keyOf(board.id, board)));
  const endsAt = performance.now() + rankedWithinMs;
  const differing: string[] = [];
  async function compare(board: DayBoard): Promise<void> {
    const isSame = async (): Promise<boolean> => {
      const best = [...board.counts.values()].filter((count) => count !== 0).toSorted((a, b) => b - a);
      // Other stores may have sold the item too, and these on a date of which they had sales before.
      const shown = (await topOf(gateway, board)).filter(
        ({ id }) => board.of === "store" || counted.has(keyOf(id, board)),
      );
      // Members with the same count have no order.
      const isOwn = shown.every(({ id, count }, at) => count === best[at] && count === board.counts.get(id));
      return isOwn && shown.length === Math.min(best.length, shownMax);
    };
    if (!(await until(isSame, { withinMs: endsAt - performance.now(), everyMs: 200 })))
      differing.push(`${board.of} ${board.id} on ${board.date} by ${board.by}`);
  }
  for (let at = 0; at < boards.length; at += atOnce) await Promise.all(boards.slice(at, at + atOnce).map(compare));
  return { compared: boards.length, differing };
}

/** The first 100; none without a response, too. */
async function topOf({ url, apiKey }: GatewayAddress, { of, id, date, by }: DayBoard) {
  const client = createTallyClient({ baseUrl: url, apiKey });
  const query = { date, by, limit: shownMax };
  const ofStore = async () =>
    (await client.GET("/stores/{storeID}/top-items", { params: { path: { storeID: id }, query } })).data?.items;
  const ofItem = async () =>
    (await client.GET("/items/{itemID}/top-stores", { params: { path: { itemID: id }, query } })).data?.stores;
  return ((await (of === "store" ? ofStore() : ofItem())) ?? []).map(({ quantity = 0, netSales = "0", ...member }) => ({
    id: "itemID" in member ? member.itemID : member.storeID,
    count: by === "quantity" ? quantity : Math.round(100 * Number(netSales)),
  }));
}
