import type { Random } from "../../kit/index.ts";
import type { Store } from "./chain.ts";
import { businessDate, instantOf, minuteMs } from "./local-time.ts";
import type { Sale } from "./plan-day.ts";

/**
 * A store without a network in the evening peak. From `unsureFromMs` its purchases reach the gateway and the responses do not reach the store;
 * from `fromMs` neither does. It keeps all of them and sends them in bulk, with their keys, from `untilMs` on.
 */
export interface StoreOutage {
  readonly store: Store;
  readonly unsureFromMs: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

const earliestHour = 17;
const startWithinMinutes = 60;
const shortestMinutes = 90;
const longerByMinutes = 60;
const unsureMinutes = 15;

/** Draws the store and the time. */
export function outageOf(stores: readonly Store[], startsAtMs: number, random: Random): StoreOutage {
  const store = stores[random.integer(0, stores.length - 1)];
  if (store === undefined) throw new TypeError("at least one store is needed");
  const evening = instantOf(businessDate(startsAtMs, store.zone), earliestHour, store.zone);
  const fromMs = evening + random.integer(0, startWithinMinutes) * minuteMs;
  return {
    store,
    unsureFromMs: fromMs - unsureMinutes * minuteMs,
    fromMs,
    untilMs: fromMs + (shortestMinutes + random.integer(0, longerByMinutes)) * minuteMs,
  };
}

/**
 * How far a purchase gets. sent: the store gets the response. unsure: the gateway gets the purchase, and the store gets no response. kept: the
 * store keeps the purchase until `untilMs`.
 */
export function reachOf({ store, unsureFromMs, fromMs, untilMs }: StoreOutage, sale: Sale): "sent" | "unsure" | "kept" {
  if (sale.store.id !== store.id || sale.atMs < unsureFromMs || sale.atMs >= untilMs) return "sent";
  return sale.atMs < fromMs ? "unsure" : "kept";
}
