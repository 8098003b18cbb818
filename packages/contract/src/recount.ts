import type { MirroredBoards } from "./moves.ts";

/**
 * What the stored rows mean, as SQL. A rebuild fills the boards from it, and the audit compares the boards with it. Each text is a literal
 * SELECT whose columns are read by position.
 */
export interface Recount {
  /** (event id as 16 bytes), once for each stored event. */
  readonly ids: string;
  /** (producer, sequence, rows): how many rows each batch changed. The ledger must have the same numbers. */
  readonly rowsOfBatches: string;
  /** All boards, by kind: the sums of what `rank` adds. */
  readonly boards: readonly (RecountedBoards | RecountedMirror)[];
  /**
   * For a domain with rows beside its events, such as the newest of each pair: (sentence) for every row that does not follow from the
   * events. No rows if all is well.
   */
  readonly contradictions?: readonly string[];
}

/** One kind of boards. */
export interface RecountedBoards {
  /** (key, member, count), each cell once, all rows of a key consecutive. Key, member and count are integers or text. */
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
