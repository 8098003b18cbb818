import { defineDomain, otherFiles } from "@tally/contract";
import { refundFiles, voidFiles } from "./correction-files.ts";
import { currencyProblem } from "./currency.ts";
import { eventVersion, SalesEvent } from "./event.ts";
import { feed } from "./feed.ts";
import { queries, views } from "./queries.ts";
import { rank, recount, retention } from "./rank.ts";
import { correctionRoutes, manyRefunds, manyVoids } from "./correction-routes.ts";
import { files, purchaseRoutes } from "./routes.ts";
import { store } from "./store.ts";
import { putAlertRule } from "./alert-rules.ts";
import { watchSales } from "./watch-sales.ts";
import { items } from "./items.ts";
import { stores } from "./stores.ts";

export const purchases = defineDomain({
  name: "purchases",
  description: "Sales of supermarkets, and the best-selling items and stores.",
  migrations: new URL("migrations/", import.meta.url),
  event: SalesEvent,
  eventVersion,
  routes: [...purchaseRoutes, ...correctionRoutes],
  store,
  rank,
  recount,
  feed,
  retention,
  queries,
  puts: [stores.put, items.put, putAlertRule],
  settingProblem: currencyProblem,
  watch: watchSales,
  views,
  files,
  otherFiles: {
    voids: otherFiles(manyVoids, voidFiles),
    refunds: otherFiles(manyRefunds, refundFiles),
    stores: otherFiles(stores.put, stores.files),
    items: otherFiles(items.put, items.files),
  },
});
