/**
 * What a batch's new rows mean for the rankings: board → member → by how much. Summed, so a board's member stands in it
 * once however many rows moved it.
 */
export class Moves {
  readonly #boards = new Map<string, Map<string, number>>();

  /** Adds `by` (an integer, negative to take back) to a member of a board. */
  add(board: string, member: string, by: number): void {
    const members = this.#boards.get(board);
    if (members === undefined) this.#boards.set(board, new Map([[member, by]]));
    else members.set(member, (members.get(member) ?? 0) + by);
  }

  /** The boards that were touched, in the order of their first move. */
  boards(): Iterable<[board: string, members: ReadonlyMap<string, number>]> {
    return this.#boards;
  }
}
