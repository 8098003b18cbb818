/** Two kinds of boards with the same counts: each ranks the member on the board of the key, and the key on that of the
 * member. The board of a key has few members, because Redis keeps all of them in order; of the board of a member it
 * keeps only the best, so a key may be one of millions, and after counts have fallen it may keep too few for a read. */
export interface MirroredBoards {
  /** "item:" for the board "item:42", whose members are stores. */
  readonly prefix: string;
  /** "store:" for the board "store:7", whose members are items. */
  readonly mirrorPrefix: string;
}

/** One name for boards whose counts change alike, "item:,20261126/item:": a ranking message has their changes once. */
export function joinBoards(all: readonly MirroredBoards[]): MirroredBoards {
  return {
    prefix: all.map(({ prefix }) => prefix).join(","),
    mirrorPrefix: all.map(({ mirrorPrefix }) => mirrorPrefix).join(","),
  };
}

/** Each of joined boards alone. */
export function splitBoards({ prefix, mirrorPrefix }: MirroredBoards): readonly MirroredBoards[] {
  const mirrors = mirrorPrefix.split(",");
  return prefix.split(",").map((one, index) => ({ prefix: one, mirrorPrefix: mirrors[index] ?? "" }));
}

/** A mirrored count stops at ±(2^53 - 1), as lua/move.lua of packages/redis does: doubles are exact up to there. */
export function sumOfCounts(count = 0, by = 0): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(count + by, Number.MAX_SAFE_INTEGER));
}

/** The effect of a batch on the rankings: differences of members of boards. Redis counts exactly up to 2^53: a domain
 * limits what one event adds, so that no count gets there (docs/decisions/0004-how-boards-are-kept.md). */
export class Moves {
  readonly #boards = new Map<string, Map<string, number>>();
  readonly #mirrored = new Map<MirroredBoards, Map<string, (string | number)[]>>();

  /** `by`: an integer, negative to remove a count. Differences of one member are summed. */
  add(board: string, member: string, by: number): void {
    const members = this.#boards.get(board);
    if (members === undefined) this.#boards.set(board, new Map([[member, by]]));
    else members.set(member, (members.get(member) ?? 0) + by);
  }

  /** Adds `by` to the count of a key and a member. Throws RangeError unless `by` is an integer. */
  addMirrored(boards: MirroredBoards, key: string, member: string, by: number): void {
    if (!Number.isSafeInteger(by)) throw new RangeError(`${boards.prefix}${key}: expected an integer, got ${by}`);
    let members = this.#mirrored.get(boards);
    if (members === undefined) this.#mirrored.set(boards, (members = new Map()));
    const own = members.get(member);
    if (own === undefined) members.set(member, [key, by]);
    else own.push(key, by);
  }

  /** The boards of `add`, in the order of their first move. */
  boards(): Iterable<[board: string, members: ReadonlyMap<string, number>]> {
    return this.#boards;
  }

  /** The counts of `addMirrored`, by member: key, by, key, by, …. A key may occur several times. The boards may be
   * joined. */
  mirrored(): Iterable<[boards: MirroredBoards, members: ReadonlyMap<string, readonly (string | number)[]>]> {
    return this.#mirrored;
  }

  /** The same, each of joined boards alone. */
  *split(): ReturnType<Moves["mirrored"]> {
    for (const [boards, members] of this.#mirrored) for (const one of splitBoards(boards)) yield [one, members];
  }
}
