export { backOffMs, retryMs } from "./back-off.ts";
export { CataloguedError, type CatalogueEntry, type ErrorCatalogue } from "./catalogued-error.ts";
export { silentLog, type Log } from "./log.ts";
export { Outage } from "./outage.ts";
export { reasonOf } from "./reason-of.ts";
