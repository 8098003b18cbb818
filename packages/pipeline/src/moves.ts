/** The effect of a batch on the rankings: board → member → difference. Differences of one member are summed. */
export class Moves {
  readonly #boards = new Map<string, Map<string, number>>();

  /** Adds `by` to a member of a board: an integer, negative to remove a count. */
  add(board: string, member: string, by: number): void {
    const members = this.#boards.get(board);
    if (members === undefined) this.#boards.set(board, new Map([[member, by]]));
    else members.set(member, (members.get(member) ?? 0) + by);
  }

  /** The boards in the order of their first move. */
  boards(): Iterable<[board: string, members: ReadonlyMap<string, number>]> {
    return this.#boards;
  }
}
