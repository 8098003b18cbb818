import { defineDomain } from "@tally/contract";
import { AlbumsEvent } from "./event.ts";
import { queries, views } from "./queries.ts";
import { rank, recount } from "./rank.ts";
import { routes } from "./routes.ts";
import { store } from "./store.ts";

export const albums = defineDomain({
  name: "albums",
  description: "Music albums with their pictures, and what listeners think of them.",
  migrations: new URL("migrations/", import.meta.url),
  event: AlbumsEvent,
  routes,
  store,
  rank,
  recount,
  queries,
  views,
  errorKey: "msg",
});
