import type { DomainAudit } from "./audit.ts";

/** What `tally audit --json` prints, for all audited domains. Plain JSON data. */
export interface AuditReport {
  readonly agrees: boolean;
  readonly endpoint: "read" | "write";
  /** Empty when the pipeline was drained; otherwise nothing was compared. */
  readonly underWay: readonly string[];
  readonly waitedSeconds: number;
  readonly seconds: number;
  readonly audit: {
    /** Ids in the file; without a file, changes by the ledger. */
    readonly acknowledged: number;
    /** Rows. */
    readonly stored: number;
    /** Changes of batches that are marked on every shard. */
    readonly ranked: number;
    /** Acknowledged events that are neither stored nor dead letters, and units that boards lack. */
    readonly lost: number;
    /** Events that are stored twice, and surplus units on boards. */
    readonly doubled: number;
    /** Acknowledged events that the database rejected for their data: they are kept as dead letters, not lost. */
    readonly deadLetters?: number;
    /** Acknowledged events whose Idempotency-Key belongs to a stored event with other content: open dead letters, beside those above. */
    readonly keyConflicts?: number;
    /** Rows whose id is not in the file. */
    readonly unacknowledged?: number;
  };
  /** The first ids of the file that are not stored. */
  readonly notStored: readonly string[];
  readonly domains: readonly DomainAudit[];
}
