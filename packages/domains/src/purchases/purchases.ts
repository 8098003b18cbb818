import { defineDomain } from "@tally/contract";
import { eventVersion, PurchaseEvent } from "./event.ts";
import { queries, views } from "./queries.ts";
import { rank, recount, retention } from "./rank.ts";
import { files, routes } from "./routes.ts";
import { store } from "./store.ts";

export const purchases = defineDomain({
  name: "purchases",
  description: "Sales of supermarkets, and the best-selling items and stores.",
  migrations: new URL("migrations/", import.meta.url),
  event: PurchaseEvent,
  eventVersion,
  routes,
  store,
  rank,
  recount,
  retention,
  queries,
  views,
  files,
});
