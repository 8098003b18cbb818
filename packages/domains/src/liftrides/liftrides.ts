import { defineDomain } from "@tally/contract";
import { LiftRideEvent } from "./event.ts";
import { queries, views } from "./queries.ts";
import { rank, recount } from "./rank.ts";
import { files, routes } from "./routes.ts";
import { store } from "./store.ts";

export const liftrides = defineDomain({
  name: "liftrides",
  description: "Rides on ski lifts, and the vertical of skiers: 10 for each ride, times the number of the lift.",
  migrations: new URL("migrations/", import.meta.url),
  event: LiftRideEvent,
  routes,
  store,
  rank,
  recount,
  queries,
  views,
  files,
});
