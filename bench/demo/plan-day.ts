import { createHash } from "node:crypto";
import type { Purchase } from "@tally/client";
import { Random, spreadOver } from "../kit/index.ts";
import { businessDate, dayMs, instantOf, minuteMs, soldShares, storesOf, zones } from "./chain.ts";
import type { Store, Zone } from "./chain.ts";

export interface DayOptions {
  readonly seed: number;
  /** yyyymmdd: the date in the first zone on which the day begins. */
  readonly date: number;
  readonly storesPerZone: number;
  /** All stores together in the 24 hours. */
  readonly purchases: number;
}

export interface Sale {
  /** In ms since 1970, by the clock of the demo. */
  readonly atMs: number;
  readonly store: Store;
  readonly purchase: Purchase & { readonly idempotencyKey: string };
  /** How it is taken back, at once. */
  readonly takenBack: "void" | "refund" | undefined;
}

export type DayPlan = ReturnType<typeof planDay>;

// Before the first store opens.
const firstHour = 6;

/** 24 hours of the chain. The same options always give the same purchases with the same keys, in the same order. */
export function planDay(options: DayOptions) {
  const startsAtMs = instantOf(options.date, firstHour, zones[0]);
  const stores = storesOf(options.storesPerZone);
  return {
    startsAtMs,
    endsAtMs: startsAtMs + dayMs,
    stores,
    /** A store without a network in its evening peak. It keeps its purchases and sends them when it is back. */
    outage: outageOf(stores, startsAtMs, randomOf(options, "outage")),
    /** In order of time. Each call begins again. */
    sales: () => allSales(stores, startsAtMs, options),
  };
}

/** Random numbers for one part of a day, which do not depend on those of other parts. */
function randomOf({ seed, date }: DayOptions, part: string): Random {
  return new Random(createHash("sha256").update(`${seed} ${date} ${part}`).digest().readInt32BE());
}

const earliestHour = 17;
const startWithinMinutes = 60;
const shortestMinutes = 90;
const longerByMinutes = 60;

function outageOf(stores: readonly Store[], startsAtMs: number, random: Random) {
  const store = stores[random.integer(0, stores.length - 1)];
  if (store === undefined) throw new TypeError("at least one store is needed");
  const evening = instantOf(businessDate(startsAtMs, store.zone), earliestHour, store.zone);
  const fromMs = evening + random.integer(0, startWithinMinutes) * minuteMs;
  return { store, fromMs, untilMs: fromMs + (shortestMinutes + random.integer(0, longerByMinutes)) * minuteMs };
}

const customersOfStore = 1000;

function* allSales(stores: readonly Store[], startsAtMs: number, options: DayOptions): Generator<Sale, void> {
  // Other options are other purchases: with the same keys the gateway would reject them.
  const prefix = `demo-${createHash("sha256").update(JSON.stringify(options)).digest("hex").slice(0, 12)}`;
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
        const purchase = {
          storeID: store.id,
          custID: store.id * customersOfStore + Math.floor(random() * customersOfStore),
          date: String(businessDate(atMs, store.zone)),
          items: drawItems(store.zone, random),
          idempotencyKey: `${prefix}-${store.id}-${stream.sold}`,
        };
        sales.push({ atMs, store, purchase, takenBack: drawCorrection(random()) });
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

const firstItem = 10_000;
const itemCount = 2000;
export const itemIds: readonly number[] = Array.from({ length: itemCount }, (_, index) => firstItem + index);
const itemsMax = 5;
// The nth best-selling item is 1/n as likely as the best.
const rank = spreadOver(itemCount, itemCount).zipf;

// Half of the sales of a zone follow the ranking of the whole chain. The other half follow the ranking of the zone.
// So zones share some of their best items.
const sharedWithChain = 0.5;
// Has no common divisor with the number of items, so that each rank is another item.
const stride = 709;
const startOfZone = 631;

// Of 100 purchases 2 are voids and 3 are refunded.
const drawCorrection = (random: number): Sale["takenBack"] =>
  random < 0.02 ? "void" : random < 0.05 ? "refund" : undefined;

const priceOf = (item: number): string => (0.49 + ((item * 37) % 2000) / 100).toFixed(2);

/** What a customer buys: 1 to 5 items, each once, most of them one piece. */
function drawItems(zone: Zone, random: () => number): Purchase["items"] {
  const bought = new Map<number, number>();
  const count = 1 + Math.floor(random() * itemsMax);
  for (let n = 0; n < count; n++) {
    const start = random() < sharedWithChain ? 0 : (zones.indexOf(zone) + 1) * startOfZone;
    const item = firstItem + ((rank(random) * stride + start) % itemCount);
    const quantity = random() < 0.8 ? 1 : 2 + Math.floor(random() * 3);
    bought.set(item, (bought.get(item) ?? 0) + quantity);
  }
  return Array.from(bought, ([item, quantity]) => ({
    ItemID: String(item),
    numberOfItems: quantity,
    unitPrice: priceOf(item),
  }));
}
