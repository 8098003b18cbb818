import type { DomainAudit } from "./audit.ts";

/** What `tally audit --json` prints, of all audited domains together. Plain data: true of what is printed and of what is read again. */
export interface AuditReport {
  readonly agrees: boolean;
  readonly endpoint: "read" | "write";
  /** Empty when the pipeline was drained; else nothing was compared. */
  readonly underWay: readonly string[];
  readonly waitedSeconds: number;
  readonly seconds: number;
  readonly audit: {
    /** Ids of the file; without one, events that the ledger says changed rows. */
    readonly acknowledged: number;
    /** Events that are rows. */
    readonly stored: number;
    /** Events whose batch is counted on every shard. */
    readonly ranked: number;
    /** Acknowledged events that are nowhere, and units that boards lack. */
    readonly lost: number;
    /** Events that are stored twice, and units that boards have too many. */
    readonly doubled: number;
    /** Acknowledged events that the database refused for their data: they are kept as dead letters, not lost. */
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
