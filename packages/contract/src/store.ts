import type { BatchId } from "./batch-id.ts";
import type { Event } from "./batch.ts";
import type { SqlReader, SqlTransaction } from "./sql.ts";

/** An event and the batch that carries it. */
export interface BatchEvent<E extends Event = Event> {
  readonly event: E;
  readonly batch: BatchId;
}

/** An event that added or replaced a row. A domain may add what it replaced. */
export type Change<E extends Event = Event> = BatchEvent<E>;

/** Where a domain keeps its events. */
export interface Store<E extends Event, C extends Change<E>> {
  /**
   * Writes the events of several batches within one transaction and returns those that changed rows. Safe to repeat: an
   * event that is stored already is no change. No event id occurs twice in `events`.
   */
  readonly write: (transaction: SqlTransaction, events: readonly BatchEvent<E>[]) => Promise<readonly C[]>;
  /** The batch that stored this event; undefined if none has. */
  readonly locate: (reader: SqlReader, eventId: string) => Promise<BatchId | undefined>;
  /**
   * The stored events of at most `readMax` ids, in any order, without those that are not stored. Rows keep all content:
   * `contentOf` an event read equals that of the event written.
   */
  readonly read: (reader: SqlReader, eventIds: readonly string[]) => Promise<readonly E[]>;
  /** The most ids for one `read`, so that its result fits into memory. */
  readonly readMax: number;
}
