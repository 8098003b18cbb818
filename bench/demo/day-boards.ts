import { createTallyClient, type Purchase } from "@tally/client";
import { until } from "@tally/local";
import { businessDate } from "./chain.ts";
import type { GatewayAddress } from "./day-player.ts";
import type { DayPlan } from "./plan-day.ts";

/** The ranking of the items of a store on a business day, and what the demo itself has counted. Amounts: in cents. */
interface DayBoard {
  readonly store: number;
  readonly date: string;
  readonly by: "quantity" | "netSales";
  readonly counts: Map<number, number>;
}

const shownMax = 100;
const rankedWithinMs = 5000;

/** The boards of the day that have no sales yet: only their counts will be those of the demo. */
export async function emptyBoards(gateway: GatewayAddress, plan: DayPlan): Promise<readonly DayBoard[]> {
  const empty: DayBoard[] = [];
  for (const { id: store, zone } of plan.stores)
    for (const atMs of [plan.startsAtMs, plan.endsAtMs - 1])
      for (const by of ["quantity", "netSales"] as const) {
        const board = { store, date: String(businessDate(atMs, zone)), by, counts: new Map<number, number>() };
        if ((await topOf(gateway, board)).length === 0) empty.push(board);
      }
  return empty;
}

/** Counts all lines of an acknowledged purchase; `times` -1: takes them back. */
export function addTo(boards: readonly DayBoard[], { storeID, date, items }: Purchase, times: 1 | -1): void {
  for (const { by, counts } of boards.filter((board) => board.store === Number(storeID) && board.date === String(date)))
    for (const { ItemID, numberOfItems, unitPrice = "0" } of items) {
      const each = by === "quantity" ? 1 : Math.round(100 * Number(unitPrice));
      counts.set(Number(ItemID), (counts.get(Number(ItemID)) ?? 0) + times * each * Number(numberOfItems));
    }
}

/** `differing`: boards whose first 100 are not those that the demo has counted, also after 5 s. */
export async function compareBoards(gateway: GatewayAddress, boards: readonly DayBoard[]) {
  const endsAt = performance.now() + rankedWithinMs;
  const differing: string[] = [];
  for (const board of boards) {
    const isSame = async (): Promise<boolean> => {
      const best = [...board.counts.values()].filter((count) => count !== 0).toSorted((a, b) => b - a);
      const shown = await topOf(gateway, board);
      // Items with the same count have no order.
      const isOwn = shown.every(({ item, count }, at) => count === best[at] && count === board.counts.get(item));
      return isOwn && shown.length === Math.min(best.length, shownMax);
    };
    if (!(await until(isSame, { withinMs: endsAt - performance.now(), everyMs: 200 })))
      differing.push(`store ${board.store} on ${board.date} by ${board.by}`);
  }
  return { compared: boards.length, differing };
}

/** The first 100; none without a response, too. */
async function topOf({ url, apiKey }: GatewayAddress, { store, date, by }: DayBoard) {
  const client = createTallyClient({ baseUrl: url, apiKey });
  const { data } = await client.GET("/stores/{storeID}/top-items", {
    params: { path: { storeID: store }, query: { date, by, limit: shownMax } },
  });
  return (data?.items ?? []).map(({ itemID, quantity = 0, netSales = "0" }) => ({
    item: itemID,
    count: by === "quantity" ? quantity : Math.round(100 * Number(netSales)),
  }));
}
