import { defineDomain } from "@tally/pipeline";
import { SwipeEvent } from "./event.ts";
import { queries } from "./queries.ts";
import { rank } from "./rank.ts";
import { recount } from "./recount.ts";
import { routes } from "./routes.ts";
import { store } from "./store.ts";

/** What users think of each other, left or right: whom somebody likes, who likes back, and who is liked most. */
export const swipes = defineDomain({
  name: "swipes",
  event: SwipeEvent,
  arrivalFields: ["at"],
  routes,
  store,
  rank,
  recount,
  queries,
  migrations: new URL("migrations/", import.meta.url),
});
