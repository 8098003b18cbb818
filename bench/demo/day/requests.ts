import type { Purchase } from "@tally/client";
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

/** The same purchase as an entry of a bulk request. */
export function purchaseOf({ store, customer, date, items, key }: Sale): Purchase {
  return {
    storeID: store.id,
    custID: customer,
    date: String(date),
    items: items.map(itemOf),
    idempotencyKey: key,
  };
}

function itemOf([item, quantity]: Sale["items"][number]) {
  return { ItemID: String(item), numberOfItems: quantity };
}
