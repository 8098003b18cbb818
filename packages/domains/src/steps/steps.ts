import { defineDomain } from "@tally/pipeline";
import { StepsEvent } from "./event.ts";
import { queries } from "./queries.ts";
import { rank } from "./rank.ts";
import { recount } from "./recount.ts";
import { routes } from "./routes.ts";
import { store } from "./store.ts";

/** What step counters tell of their wearers, hour by hour: the sums of their days, and who walked most. */
export const steps = defineDomain({
  name: "steps",
  event: StepsEvent,
  routes,
  store,
  rank,
  recount,
  queries,
  migrations: new URL("migrations/", import.meta.url),
});
