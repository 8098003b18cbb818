export { audit, type AuditProgress, type DomainAudit } from "./audit.ts";
export type { AuditReport } from "./audit-report.ts";
export { IdSet } from "./id-set.ts";
export { prune } from "./prune.ts";
export { rebuild, type RebuildOutcome, type RebuildProgress } from "./rebuild.ts";
export { repair, type Repaired } from "./repair.ts";
export { lookAt, untilDrained, type DrainOptions, type Look, type LookOptions } from "./until-drained.ts";
