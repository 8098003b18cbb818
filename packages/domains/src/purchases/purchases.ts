import { defineDomain } from "@tally/pipeline";
import { PurchaseEvent } from "./event.ts";
import { queries } from "./queries.ts";
import { rank } from "./rank.ts";
import { recount } from "./recount.ts";
import { routes } from "./routes.ts";
import { store } from "./store.ts";

/** A supermarket's sales: what was bought where and by whom, and what sells best. */
export const purchases = defineDomain({
  name: "purchases",
  event: PurchaseEvent,
  routes,
  store,
  rank,
  recount,
  queries,
  migrations: new URL("migrations/", import.meta.url),
});
