import { defineDomain } from "@tally/contract";
import { StepsEvent } from "./event.ts";
import { files } from "./files.ts";
import { queries } from "./queries.ts";
import { rank } from "./rank.ts";
import { recount } from "./recount.ts";
import { routes } from "./routes.ts";
import { store } from "./store.ts";
import { views } from "./views.ts";

/** Hourly figures of step counters: sums of days and rankings of days. */
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
