import { Moves, type Change, type Event } from "@tally/contract";

/** What a domain's `rank` adds to each board and member, for changes of one batch. */
export function boardsOf<C extends Change>(rank: (changes: readonly C[], moves: Moves) => void, changes: readonly C[]) {
  const moves = new Moves();
  rank(changes, moves);
  const sums: Record<string, Record<string, number>> = {};
  const add = (board: string, member: string, by: number) => {
    const members = (sums[board] ??= {});
    members[member] = (members[member] ?? 0) + by;
  };
  for (const [board, members] of moves.boards()) for (const [member, by] of members) add(board, member, by);
  for (const [{ prefix, mirrorPrefix }, members] of moves.mirrored()) {
    for (const [member, counts] of members) {
      for (let i = 0; i < counts.length; i += 2) {
        add(prefix + counts[i], member, Number(counts[i + 1]));
        add(mirrorPrefix + member, String(counts[i]), Number(counts[i + 1]));
      }
    }
  }
  return sums;
}

export function changeOf<E extends Event>(event: E) {
  return { event, batch: { producer: "0123456789abcdef", sequence: 0 } };
}
