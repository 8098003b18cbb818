import type { Event } from "./batch.ts";
import type { MirroredBoards } from "./moves.ts";

/**
 * What the stored rows mean, as SQL. A rebuild fills the boards from it, and the audit compares the boards with it.
 * Each text is a literal SELECT whose columns are read by position.
 */
export interface Recount {
  /** (event id as 16 bytes), once for each stored event. */
  readonly ids: string;
  /** (producer, sequence, rows): how many rows each batch changed. The ledger must have the same numbers. */
  readonly rowsOfBatches: string;
  /** All boards, by kind: the sums of what `rank` adds. */
  readonly boards: readonly (RecountedBoards | RecountedMirror)[];
  /**
   * For a domain with rows beside its events, such as the newest of each pair: (sentence) for every row that does not
   * follow from the events. No rows if all is well.
   */
  readonly contradictions?: readonly string[];
}

/** One kind of boards. */
export interface RecountedBoards {
  /**
   * (key, member, count), each cell once, all rows of a key consecutive. Key, member and count are integers or text.
   */
  readonly cells: string;
  /** The board of a key. */
  readonly board: (key: string) => string;
}

/** Two kinds of boards with the same counts. */
export interface RecountedMirror {
  readonly mirrored: MirroredBoards;
  /** (key, member, count), each cell once, all rows of a key consecutive. */
  readonly cells: string;
  /** (member, key, count): the same, all rows of a member consecutive. A rebuild reads only this one. */
  readonly mirrorCells: string;
}

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
  /**
   * Each statement adds leaving rows to a table of the base: those with an id above the first `?` and up to the second.
   */
  readonly addToBase: readonly string[];
  /**
   * As the domain's `recount`: of the rows, of the leaving rows that are not in the base, and of the base. Used once a
   * month was removed.
   */
  readonly recount: Recount;
}
