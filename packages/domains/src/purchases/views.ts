import type { View } from "@tally/contract";

const store = { name: "storeID", label: "Store", kind: "id", default: "1" } as const;
const itemsBySold = {
  list: "items",
  member: { field: "itemID", label: "Item" },
  count: { field: "quantity", label: "Sold" },
  bars: true,
} as const;

/** The best-selling items of a store, of all time and of a day, and the stores that sell most of an item. */
export const views: readonly View[] = [
  {
    name: "top-items",
    title: "Top items of a store",
    params: [store],
    path: "/stores/{storeID}/top-items?limit=10",
    ...itemsBySold,
  },
  {
    name: "top-items-of-day",
    title: "Top items of a store on a day",
    params: [store, { name: "date", label: "Date", kind: "date", default: "today" }],
    path: "/stores/{storeID}/top-items?limit=10&date={date}",
    ...itemsBySold,
  },
  {
    name: "top-stores",
    title: "Top stores of an item",
    params: [{ name: "itemID", label: "Item", kind: "id", default: "1" }],
    path: "/items/{itemID}/top-stores?limit=10",
    list: "stores",
    member: { field: "storeID", label: "Store" },
    count: { field: "quantity", label: "Sold" },
    bars: true,
  },
];
