import { defineDomain } from "@tally/contract";
import { PurchaseEvent } from "./event.ts";
import { files } from "./files.ts";
import { queries } from "./queries.ts";
import { rank } from "./rank.ts";
import { recount } from "./recount.ts";
import { retention } from "./retention.ts";
import { routes } from "./routes.ts";
import { store } from "./store.ts";
import { views } from "./views.ts";

/** Sales of supermarkets, and the best-selling items and stores. */
export const purchases = defineDomain({
  name: "purchases",
  description: "Sales of supermarkets, and the best-selling items and stores.",
  migrations: new URL("migrations/", import.meta.url),
  event: PurchaseEvent,
  routes,
  store,
  rank,
  recount,
  retention,
  queries,
  views,
  files,
});
