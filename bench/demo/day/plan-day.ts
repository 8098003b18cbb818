import { createHash } from "node:crypto";
import { Random } from "../../kit/index.ts";
import { storesOf, zones, type Store } from "./chain.ts";
import { soldShares } from "./demand.ts";
import { drawItems } from "./draw-items.ts";
import { businessDate, dayMs, hourMs, instantOf, minuteMs } from "./local-time.ts";
import { outageOf, type StoreOutage } from "./store-outage.ts";

export interface DayOptions {
  readonly seed: number;
  /** yyyymmdd: the date in the first zone on which the day begins. */
  readonly date: number;
  readonly storesPerZone: number;
  /** Of all stores in the 24 hours. */
  readonly purchases: number;
}

/** One purchase of the day. */
export interface Sale {
  /** In ms since 1970, by the clock of the demo. */
  readonly atMs: number;
  readonly store: Store;
  readonly customer: number;
  /** yyyymmdd by the store's local time. */
  readonly date: number;
  readonly items: readonly (readonly [item: number, quantity: number])[];
  /** The idempotency key; unique in the store. */
  readonly key: string;
}

/** 24 hours of the chain. The same options always give the same purchases with the same keys, in the same order. */
export interface DayPlan {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly stores: readonly Store[];
  readonly outage: StoreOutage;
  /** In order of time. Each call begins again. */
  readonly sales: () => Generator<Sale, void>;
  /** The key of another event of the day. */
  readonly keyOf: (name: string, number: number) => string;
}

// Before the first store opens.
const firstHour = 6;
const customersOfStore = 1000;

export function planDay(options: DayOptions): DayPlan {
  const startsAtMs = instantOf(options.date, firstHour, zones[0]);
  const stores = storesOf(options.storesPerZone);
  // Other options are other purchases: with the same keys the gateway would reject them.
  const prefix = `demo-${createHash("sha256").update(JSON.stringify(options)).digest("hex").slice(0, 12)}`;
  const keyOf = (name: string, number: number): string => `${prefix}-${name}-${number}`;
  return {
    startsAtMs,
    endsAtMs: startsAtMs + dayMs,
    stores,
    outage: outageOf(stores, startsAtMs, randomOf(options, "outage")),
    sales: () => allSales(stores, startsAtMs, options, keyOf),
    keyOf,
  };
}

/** Random numbers for one part of a day, which do not depend on those of other parts. */
export function randomOf({ seed, date }: Pick<DayOptions, "seed" | "date">, part: string): Random {
  return new Random(createHash("sha256").update(`${seed} ${date} ${part}`).digest().readInt32BE());
}

function* allSales(
  stores: readonly Store[],
  startsAtMs: number,
  options: DayOptions,
  keyOf: DayPlan["keyOf"],
): Generator<Sale, void> {
  const shares = new Map(zones.map((zone) => [zone, soldShares(zone, startsAtMs)]));
  const streams = stores.map((store, index) => ({
    store,
    amount: amountOf(stores, index, options.purchases),
    shares: shares.get(store.zone) ?? new Float64Array(),
    random: randomOf(options, `store ${store.id}`).fraction,
    sold: 0,
  }));
  for (let minute = 0; minute < dayMs / minuteMs; minute++) {
    const sales: Sale[] = [];
    for (const stream of streams) {
      const { store, random, amount } = stream;
      const until = Math.round(amount * (stream.shares[minute + 1] ?? 1));
      for (; stream.sold < until; stream.sold++) {
        const atMs = startsAtMs + minute * minuteMs + Math.floor(random() * minuteMs);
        sales.push({
          atMs,
          store,
          customer: store.id * customersOfStore + Math.floor(random() * customersOfStore),
          date: businessDate(atMs, store.zone),
          items: drawItems(store.zone, random),
          key: keyOf(String(store.id), stream.sold),
        });
      }
    }
    yield* sales.toSorted((a, b) => a.atMs - b.atMs || a.store.id - b.store.id);
  }
}

/** Whole numbers that add up to all purchases. */
function amountOf(stores: readonly Store[], index: number, purchases: number): number {
  const until = (count: number): number =>
    Math.round(purchases * stores.slice(0, count).reduce((sum, { share }) => sum + share, 0));
  return until(index + 1) - until(index);
}

/** The date after this one: yyyymmdd. */
export function nextDate(date: number): number {
  return businessDate(instantOf(date, 12, { utcOffsetHours: 0 }) + 24 * hourMs, { utcOffsetHours: 0 });
}
