import type { ClientRequest } from "@tally/domains/workloads";
import type { Sale } from "./plan-day.ts";

/** A purchase alone; its key is in the header `Idempotency-Key`. */
export function requestOf({ store, customer, date, items }: Sale): ClientRequest {
  return {
    method: "POST",
    path: `/purchase/${store.id}/customer/${customer}/date/${date}`,
    body: JSON.stringify({ items: items.map(itemOf) }),
  };
}

/** The same purchases in one request, each with its key. At most 1,000, and 2 MiB. */
export function bulkRequestOf(sales: readonly Sale[]): ClientRequest {
  const entries = sales.map(({ store, customer, date, items, key }) => ({
    storeID: store.id,
    custID: customer,
    date: String(date),
    items: items.map(itemOf),
    idempotencyKey: key,
  }));
  return { method: "POST", path: "/purchases", body: JSON.stringify(entries) };
}

function itemOf([item, quantity]: Sale["items"][number]) {
  return { ItemID: String(item), numberOfItems: quantity };
}
