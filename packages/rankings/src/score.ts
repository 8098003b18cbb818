/*
 * Scores are counts negated, so that ascending order is "highest count first, then the member". Where thousands of members
 * have equal scores, as on the board of a store whose items were nearly all sold once, Redis compares their texts at every
 * step of an insertion: nearly half of its time went there (profile of 2026-11-20). On a wide board a numeric id below 2^21
 * is therefore part of the score: -count * 2^21 + id. Equal scores are then rare, and the order is the same. It costs a
 * look at the old score, and 8 bytes for a score that would fit in fewer: so small boards keep the plain count.
 */

/** One more than the largest id that is told apart by its score. Counts up to 2^32 stay exact: 2^32 * 2^21 = 2^53. */
export const tieEnd = 2 ** 21;

/** The count that a score stands for, on a board of this name. */
export function countOfScore(board: string, score: number): number {
  return Math.ceil(-score / (board.startsWith("w:") ? tieEnd : 1)) + 0; // + 0: never -0
}
