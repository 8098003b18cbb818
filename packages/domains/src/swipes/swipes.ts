import { defineDomain } from "@tally/contract";
import { SwipeEvent } from "./event.ts";
import { queries, views } from "./queries.ts";
import { rank, recount } from "./rank.ts";
import { files, routes } from "./routes.ts";
import { store } from "./store.ts";

export const swipes = defineDomain({
  name: "swipes",
  description: "Users who swipe right or left on other users, and the most liked users.",
  migrations: new URL("migrations/", import.meta.url),
  event: SwipeEvent,
  arrivalFields: ["at"],
  routes,
  store,
  rank,
  recount,
  queries,
  views,
  files,
});
