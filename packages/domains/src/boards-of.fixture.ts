import { Moves, type Change, type Event } from "@tally/pipeline";

/** What a domain's `rank` adds to each board and member, for changes of one batch. */
export function boardsOf<C extends Change>(rank: (changes: readonly C[], moves: Moves) => void, changes: readonly C[]) {
  const moves = new Moves();
  rank(changes, moves);
  return Object.fromEntries([...moves.boards()].map(([board, members]) => [board, Object.fromEntries(members)]));
}

export function changeOf<E extends Event>(event: E) {
  return { event, batch: { producer: "0123456789abcdef", sequence: 0 } };
}
