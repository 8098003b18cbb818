export { addPartitionsSql, partitionedMonths } from "./partitions.ts";
export type { ExportedMonth } from "./month-states.ts";
export { addMonths, firstDayOf, monthOf } from "./months.ts";
export type { RetentionProgress } from "./remove-month.ts";
export { removedAfterDays, retainedFrom, surelyRetainedFrom } from "./retained-from.ts";
export { retentionMigrations } from "./retention-migrations.ts";
export { firstKeptMonth, monthsToPartition, monthsToRemove, retain, type RetainOutcome } from "./retain.ts";
export { withRecount, type Recounted } from "./with-recount.ts";
