import { eventIdOfKey, utcDayOf } from "@tally/contract";
import { scaled, spreadOver } from "./workload.ts";
import type { BulkEntry, ClientRequest, Corrections, Draw, SourceGroup, SourceRun, Workload } from "./workload.ts";

const dayMs = 86_400_000;
// Both have live boards: a sale of yesterday, and what is taken back of it today.
const [date, refundDate] = [utcDayOf(Date.now() - dayMs), utcDayOf(Date.now())];
const itemsOfPurchase = 5;
// For one store, in the source's final load.
const usualPerHour = 300;

// The stores and items of the source; narrow: so few that each cell counts many purchases.
const stores = spreadOver(512, 50);
const items = spreadOver(99_999, 1000);

/** Purchases of 5 items with quantity 1. Half of the reads are for each of the contract's two rankings. */
export const workload = {
  domain: "purchases",
  next: (random, spread, { isPriced } = {}) => requestOf(draw(stores[spread](random), items[spread], random), isPriced),
  read: (random, spread) =>
    random() < 0.5 ? `/items/store/${stores[spread](random)}` : `/items/top10/${items[spread](random)}`,

  bulk: { path: "/purchases", entry: (random, spread) => entryOf(draw(stores[spread](random), items[spread], random)) },

  // The schema accepts any number in the range of dates; the database rejects the 30th of February.
  poison: { storeId: 1, customerId: 1, date: 20260230, lines: [[1, 1]] },

  source: {
    name: "S4",
    runs: [
      ...[256, 512].map((count) => runOf(count)),
      // For its synchronous server, its sharded broker, and its first server, which stored nothing.
      ...[32, 64, 128, 1024].map((count) => extraRunOf(count)),
      ...[32, 64, 128, 256, 512, 1024, 2048].map((count) => extraRunOf(count, 60)),
    ],
  },
} satisfies Workload;

const hours = 9;

function runOf(count: number, perHour = usualPerHour): SourceRun {
  return {
    description: `${count} stores${perHour === usualPerHour ? "" : `, ${perHour} an hour`}`,
    groups: (scale) => timeZones(count, perHour, scale),
  };
}

function extraRunOf(count: number, perHour?: number): SourceRun {
  return { ...runOf(count, perHour), isExtra: true };
}

/** A store is a connection. The east opens first, the others when the first store of the east starts its 4th and its
 * 6th hour. */
function timeZones(count: number, purchasesPerHour: number, scale: number): readonly SourceGroup[] {
  const perHour = scaled(purchasesPerHour, scale);
  const zone = (name: string, first: number, connections: number, hour: number): SourceGroup => ({
    name,
    connections,
    requestsOfEach: hours * perHour,
    ...(hour > 1 && { startsAfter: { group: "east", connections: 1, responses: (hour - 1) * perHour } }),
    request: (connection, _n, random) => requestOf(draw(1 + first + connection, items.wide, random)),
  });
  const quarter = count / 4;
  return [zone("east", 0, quarter, 1), zone("central", quarter, quarter, 4), zone("west", 2 * quarter, 2 * quarter, 6)];
}

type Purchase = ReturnType<typeof draw>;

function draw(store: number, item: Draw, random: () => number) {
  const customer = store * 1000 + Math.floor(random() * 1000);
  return { store, customer, bought: Array.from({ length: itemsOfPurchase }, () => item(random)) };
}

// A line counts in its store and for its item.
const units = 2 * itemsOfPurchase;

function requestOf(purchase: Purchase, isPriced = false): ClientRequest {
  const { store, customer, bought } = purchase;
  const moneyOf = (item: number) => (isPriced ? priceOf(item) : "");
  return {
    method: "POST",
    path: `/purchase/${store}/customer/${customer}/date/${date}`,
    body: `{"items":[${bought.map((item) => `{"ItemID":"${item}","numberOfItems":1${moneyOf(item)}}`).join(",")}]}`,
    units,
    content: () => contentOf(purchase),
    corrections: (key, random) => correctionsOf(eventIdOfKey(`purchases/${store}`, key), purchase, random),
    other: () => requestOf({ ...purchase, customer: customer + 1 }, isPriced),
  };
}

// One item in five has a discount. Uses no random number: a seed sells the same items with and without prices.
const priceOf = (item: number): string =>
  `,"unitPrice":"${item % 100}.99"${item % 5 === 0 ? ',"discountAmount":"0.5"' : ""}`;

/** A void, twice; a refund of two lines; or two refunds of one sold item, of which one is refused. */
function correctionsOf(saleId: string, { store, bought }: Purchase, random: () => number): Corrections {
  const refund = (own: number, ...lines: readonly number[]): ClientRequest => ({
    method: "POST",
    path: `/purchases/${saleId}/refunds`,
    body: JSON.stringify({
      storeID: store + 1,
      date: String(refundDate),
      items: lines.map((line) => ({ line, ItemID: bought[line], numberOfItems: 1 })),
    }),
    units: own,
  });
  const voided: ClientRequest = { method: "POST", path: `/purchases/${saleId}/void`, units: -units };
  const which = random();
  if (which < 0.4) return { requests: [voided, { ...voided, units: 0 }], isOneRefused: false };
  if (which < 0.7) return { requests: [refund(-4, 0, 3)], isOneRefused: false };
  return { requests: [refund(-2, 2), refund(0, 2)], isOneRefused: true };
}

function entryOf(purchase: Purchase): BulkEntry {
  const { store, customer, bought } = purchase;
  return {
    entry: {
      storeID: store,
      custID: customer,
      date: String(date),
      items: bought.map((ItemID) => ({ ItemID, numberOfItems: 1 })),
    },
    units,
    content: () => contentOf(purchase),
  };
}

function contentOf({ store, customer, bought }: Purchase) {
  return { storeId: store, customerId: customer, date, lines: bought.map((item) => [item, 1]) };
}
