import type { Spread, Workload } from "@tally/pipeline";
import { zipf } from "../zipf.ts";
import type { PurchaseEvent } from "./event.ts";

const customersOfStore = 1000;
const linesOfPurchase = 5;

type Draw = (random: () => number) => number;
const uniform =
  (count: number): Draw =>
  (random) =>
    1 + Math.floor(random() * count);

// The tills of the contract, section 5; and few enough keys that every cell is counted up again and again.
const keys: Readonly<Record<Spread, { readonly store: Draw; readonly item: Draw }>> = {
  wide: { store: uniform(512), item: uniform(99_999) },
  narrow: { store: uniform(50), item: uniform(1000) },
  zipf: { store: zipf(512), item: zipf(99_999) },
};

/** Purchases of 5 lines, one piece each; reads are the two rankings of the contract, one as often as the other. */
export const workload: Workload = {
  next(random, spread) {
    const { store, item } = keys[spread];
    const storeId = store(random);
    const customer = storeId * customersOfStore + Math.floor(random() * customersOfStore);
    const bought = Array.from({ length: linesOfPurchase }, () => `{"ItemID":"${item(random)}","numberOfItems":1}`);
    return {
      path: `/purchase/${storeId}/customer/${customer}/date/20261120`,
      body: `{"items":[${bought.join(",")}]}`,
      // A line counts in its store and for its item.
      units: 2 * linesOfPurchase,
    };
  },

  read(random, spread) {
    const { store, item } = keys[spread];
    return random() < 0.5 ? `/items/store/${store(random)}` : `/items/top10/${item(random)}`;
  },

  poison(id): PurchaseEvent {
    // The schema knows a date as a number; no database takes the 30th of February.
    return { id, storeId: 1, customerId: 1, date: 20260230, lines: [[1, 1]] };
  },
};
