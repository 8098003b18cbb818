export { readTables } from "./read-tables.ts";
export { entriesOf } from "./cell-counts.ts";
export { audit, type AuditReport, type DomainAudit } from "./audit.ts";
export type { KeptReading } from "./folded-rows.ts";
export { IdSet } from "./audit-ids.ts";
export { fold, foldAll } from "./fold.ts";
export { repair, type Repaired } from "./repair.ts";
export { rebuild } from "./rebuild.ts";
export { lookAt, untilDrained, type Look } from "./until-drained.ts";
