export { readTables } from "./read-tables.ts";
export { entriesOf } from "./cell-counts.ts";
export { audit, type AuditProgress, type AuditReport, type DomainAudit } from "./audit.ts";
export { IdSet } from "./audit-ids.ts";
export { fold, foldAll, Unfoldable } from "./fold.ts";
export { repair, type Repaired } from "./repair.ts";
export { rebuild, type RebuildOutcome, type RebuildProgress } from "./rebuild.ts";
export { lookAt, untilDrained, type DrainOptions, type Look, type LookOptions } from "./until-drained.ts";
