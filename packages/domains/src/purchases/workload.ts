import type { Workload } from "@tally/pipeline";
import type { PurchaseEvent } from "./event.ts";

const customersOfStore = 1000;
const linesOfPurchase = 5;

// The tills of the contract, section 5; and few enough keys that every cell is counted up again and again.
const keys = { wide: { stores: 512, items: 99_999 }, narrow: { stores: 50, items: 1000 } };

/** Purchases of 5 lines, one piece each, everything equally likely. */
export const workload: Workload = {
  next(random, spread) {
    const below = (count: number): number => Math.floor(random() * count);
    const { stores, items } = keys[spread];
    const store = 1 + below(stores);
    const customer = store * customersOfStore + below(customersOfStore);
    const bought = Array.from({ length: linesOfPurchase }, () => `{"ItemID":"${1 + below(items)}","numberOfItems":1}`);
    return {
      path: `/purchase/${store}/customer/${customer}/date/20261120`,
      body: `{"items":[${bought.join(",")}]}`,
      // A line counts in its store and for its item.
      units: 2 * linesOfPurchase,
    };
  },

  poison(id): PurchaseEvent {
    // The schema knows a date as a number; no database takes the 30th of February.
    return { id, storeId: 1, customerId: 1, date: 20260230, lines: [[1, 1]] };
  },
};
