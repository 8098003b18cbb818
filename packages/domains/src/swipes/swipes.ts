import { defineDomain } from "@tally/contract";
import { SwipeEvent } from "./event.ts";
import { files } from "./files.ts";
import { queries } from "./queries.ts";
import { rank } from "./rank.ts";
import { recount } from "./recount.ts";
import { routes } from "./routes.ts";
import { store } from "./store.ts";
import { views } from "./views.ts";

/** Likes and dislikes between users: matches, mutual matches and the most liked users. */
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
