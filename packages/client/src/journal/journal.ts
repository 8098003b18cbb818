/** A purchase that is not settled yet. */
export interface JournalEntry {
  /** Names it in this journal. */
  readonly number: number;
  /** The purchase as JSON, with its idempotencyKey. */
  readonly text: string;
}

/** A purchase that the gateway will never accept as it is. */
export interface RejectedEntry extends JournalEntry {
  readonly status: number;
  readonly error: string;
}

/** Keeps purchases beyond the end of the process. `openJournal` of `@tally/client/journal` keeps them in a file. */
export interface Journal {
  /** What an earlier process has left, in the order in which it was added. */
  readonly left: readonly JournalEntry[];
  /** Resolves with the number when it is durable, in the order of the calls. Rejects with JOURNAL_FAILED. */
  append(text: string): Promise<number>;
  /** Forgets entries; keeps the rejected ones elsewhere. After a crash they may be sent again, with the same keys. */
  settle(accepted: readonly number[], rejected: readonly RejectedEntry[]): Promise<void>;
  /** Waits for appends under way. */
  close(): Promise<void>;
}
