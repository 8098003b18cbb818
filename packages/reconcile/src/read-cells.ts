import type { RecountedBoards, SqlSnapshot } from "@tally/pipeline";

/** What the rows say of one board: all its cells, each once. */
export interface RecountedBoard {
  readonly key: string;
  readonly board: string;
  readonly cells: readonly (readonly [member: string, count: number])[];
}

/** All boards of one kind, one after the other; each whole, and none without a cell. Holds one board in memory. */
export async function* readCells(snapshot: SqlSnapshot, kind: RecountedBoards): AsyncGenerator<RecountedBoard> {
  let key: unknown;
  let cells: (readonly [string, number])[] = [];
  for await (const rows of snapshot.stream(kind.cells)) {
    for (const [rowKey, member, count] of rows) {
      if (rowKey !== key) {
        if (cells.length > 0) yield { key: String(key), board: kind.board(String(key)), cells };
        key = rowKey;
        cells = [];
      }
      // A sum may have fallen back to nothing: then it is on no board.
      if (Number(count) !== 0) cells.push([String(member), Number(count)]);
    }
  }
  if (cells.length > 0) yield { key: String(key), board: kind.board(String(key)), cells };
}
