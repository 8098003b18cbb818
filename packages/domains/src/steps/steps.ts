import { defineDomain } from "@tally/contract";
import { StepsEvent, store } from "./event.ts";
import { queries, views } from "./queries.ts";
import { rank, recount } from "./rank.ts";
import { files, routes } from "./routes.ts";

export const steps = defineDomain({
  name: "steps",
  description: "Steps of users by hour, and the users with most steps on a day.",
  migrations: new URL("migrations/", import.meta.url),
  event: StepsEvent,
  routes,
  store,
  rank,
  recount,
  queries,
  views,
  files,
});
