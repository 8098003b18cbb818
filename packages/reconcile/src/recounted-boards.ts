import type { RecountedBoards, SqlSnapshot } from "@tally/contract";

/** One board as its rows add up to it: all its cells, each once. */
export interface RecountedBoard {
  readonly board: string;
  readonly cells: readonly (readonly [member: string, count: number])[];
}

/** All boards of one kind with at least one cell, one after the other. Holds one board in memory. */
export async function* recountedBoards(snapshot: SqlSnapshot, kind: RecountedBoards): AsyncGenerator<RecountedBoard> {
  let key: unknown;
  let cells: (readonly [string, number])[] = [];
  for await (const rows of snapshot.stream(kind.cells)) {
    for (const [rowKey, member, count] of rows) {
      if (rowKey !== key) {
        if (cells.length > 0) yield { board: kind.board(String(key)), cells };
        key = rowKey;
        cells = [];
      }
      // A sum of 0 is on no board.
      if (Number(count) !== 0) cells.push([String(member), Number(count)]);
    }
  }
  if (cells.length > 0) yield { board: kind.board(String(key)), cells };
}
