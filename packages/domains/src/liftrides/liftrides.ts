import { defineDomain } from "@tally/contract";
import { LiftRideEvent } from "./event.ts";
import { files } from "./files.ts";
import { queries } from "./queries.ts";
import { rank } from "./rank.ts";
import { recount } from "./recount.ts";
import { routes } from "./routes.ts";
import { store } from "./store.ts";
import { views } from "./views.ts";

/** Rides on the lifts of ski resorts: the vertical of each skier, and rankings of days. */
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
