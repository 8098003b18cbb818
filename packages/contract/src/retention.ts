import type { Event } from "./batch.ts";
import type { Recount } from "./recount.ts";

/** How the rows of old months are removed from a domain's table while their counts stay: `tally retention`. */
export interface Retention<E extends Event = Event> {
  /** The table with one row for each event, with the columns id, producer and sequence. */
  readonly table: string;
  /** Its column of type DATE by which it is partitioned. An event that is sent again has the same date. */
  readonly dateColumn: string;
  /** The same date, yyyymmdd as a number. */
  readonly dateOf: (event: E) => number;
  /** A table with the same columns and without partitions: the rows of the month that is being removed. */
  readonly leaving: string;
  /** `files.select` of the leaving rows. */
  readonly selectLeaving: string;
  /** Each statement adds leaving rows to a table of the base: those with an id above the first `?` and up to the second. */
  readonly addToBase: readonly string[];
  /** As the domain's `recount`: of the rows, of the leaving rows that are not in the base, and of the base. Used once a month was removed. */
  readonly recount: Recount;
}
