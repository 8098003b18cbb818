import { spreadOver, type Draw } from "../spread.ts";
import type { BulkEntry, ClientRequest, SourceGroup, Workload } from "../workload.ts";
import type { PurchaseEvent } from "./event.ts";

const date = 20261120;
const customersOfStore = 1000;
const linesOfPurchase = 5;

// The tills of the contract, section 5; narrow: so few that every cell is counted up again and again.
const stores = spreadOver(512, 50);
const items = spreadOver(99_999, 1000);

/** Purchases of 5 lines, one piece each; reads are the two rankings of the contract, one as often as the other. */
export const workload: Workload & Required<Pick<Workload, "source">> = {
  domain: "purchases",
  next: (random, spread) => purchaseAt(stores[spread](random), items[spread], random),

  read(random, spread) {
    return random() < 0.5 ? `/items/store/${stores[spread](random)}` : `/items/top10/${items[spread](random)}`;
  },

  bulk: {
    path: "/purchases",
    entry: (random, spread) => entryOf(stores[spread](random), items[spread], random),
  },

  poison(id): PurchaseEvent {
    // The schema knows a date as a number; no database takes the 30th of February.
    return { id, storeId: 1, customerId: 1, date: 20260230, lines: [[1, 1]] };
  },

  source: {
    name: "S4",
    runs: [
      {
        description: "256 stores",
        groups: (scale) => timeZones(256, scale),
        printed: [
          { description: "in memory", perSecond: 4293, p99Ms: 299 },
          { description: "persistent, without confirms", perSecond: 2798, p99Ms: 689 },
        ],
      },
      {
        description: "512 stores",
        groups: (scale) => timeZones(512, scale),
        printed: [
          { description: "in memory", perSecond: 4488, p99Ms: 392 },
          { description: "persistent, without confirms", perSecond: 2804, p99Ms: 992 },
        ],
      },
    ],
  },
};

const hours = 9;
const purchasesPerHour = 300;

/** A store is a connection. Those of the east open first; the others when the first store of the east begins its 4th and its 6th hour. */
function timeZones(count: number, scale: number): readonly SourceGroup[] {
  const perHour = Math.max(1, Math.round(purchasesPerHour * scale));
  const zone = (name: string, first: number, connections: number, hour: number): SourceGroup => ({
    name,
    connections,
    requestsOfEach: hours * perHour,
    startsAfter: hour === 1 ? undefined : { group: "east", connections: 1, responses: (hour - 1) * perHour },
    request: (connection, _n, random) => purchaseAt(1 + first + connection, items.wide, random),
  });
  const quarter = count / 4;
  return [zone("east", 0, quarter, 1), zone("central", quarter, quarter, 4), zone("west", 2 * quarter, 2 * quarter, 6)];
}

function purchaseAt(store: number, item: Draw, random: () => number): ClientRequest {
  const customer = customerOf(store, random);
  const bought = Array.from({ length: linesOfPurchase }, () => item(random));
  return purchaseOf(store, customer, bought);
}

function customerOf(store: number, random: () => number): number {
  return store * customersOfStore + Math.floor(random() * customersOfStore);
}

// A line counts in its store and for its item.
const units = 2 * linesOfPurchase;

function purchaseOf(store: number, customer: number, bought: readonly number[]): ClientRequest {
  return {
    method: "POST",
    path: `/purchase/${store}/customer/${customer}/date/${date}`,
    body: `{"items":[${bought.map((item) => `{"ItemID":"${item}","numberOfItems":1}`).join(",")}]}`,
    units,
    content: () => contentOf(store, customer, bought),
    other: () => purchaseOf(store, customer + 1, bought),
  };
}

function entryOf(store: number, item: Draw, random: () => number): BulkEntry {
  const customer = customerOf(store, random);
  const bought = Array.from({ length: linesOfPurchase }, () => item(random));
  const entries = bought.map((ItemID) => ({ ItemID, numberOfItems: 1 }));
  return {
    entry: { storeID: store, custID: customer, date: String(date), items: entries },
    units,
    content: () => contentOf(store, customer, bought),
  };
}

function contentOf(storeId: number, customerId: number, bought: readonly number[]) {
  return { storeId, customerId, date, lines: bought.map((item) => [item, 1]) };
}
