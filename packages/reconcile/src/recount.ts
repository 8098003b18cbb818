import type { Recount, RecountedBoards, SqlSnapshot } from "@tally/contract";
import type { Sums } from "./add-up.ts";

/** All cells of one board, as its rows add up. */
export interface RecountedBoard {
  readonly board: string;
  readonly cells: readonly (readonly [member: string, count: number])[];
}

/** All boards of one kind, as `recountedBoards` returns them; of mirrored boards those of members, then those of keys. */
export async function* boardsOf(
  snapshot: SqlSnapshot,
  kind: Recount["boards"][number],
  sums: Sums,
): AsyncGenerator<RecountedBoard> {
  if (!("mirrored" in kind)) return yield* recountedBoards(snapshot, kind);
  const cells = sums.cells.get(kind.mirrored);
  if (cells === undefined) return;
  yield* cells.byMember(kind.mirrored.mirrorPrefix);
  yield* cells.byKey(kind.mirrored.prefix);
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

/** The marks of the ledger's batches, as in Redis: bit n of a producer, highest bit of a byte first, is sequence n. */
export class BatchMarks {
  readonly #marks = new Map<string, Buffer>();

  set(producer: unknown, sequence: unknown): void {
    if (!Buffer.isBuffer(producer) || typeof sequence !== "number") {
      throw new TypeError("expected the columns producer and sequence of a batch");
    }
    const name = producer.toString("hex");
    const at = sequence >>> 3;
    let marks = this.#marks.get(name) ?? Buffer.alloc(1024);
    if (at >= marks.length) marks = Buffer.concat([marks], Math.max(marks.length * 2, at + 1));
    marks.writeUInt8(marks.readUInt8(at) | (0x80 >>> (sequence & 7)), at);
    this.#marks.set(name, marks);
  }

  all(): Iterable<readonly [producer: string, marks: Buffer]> {
    return this.#marks;
  }

  /** How many marks of the shards are not in the ledger. */
  countStray(shards: readonly ReadonlyMap<string, Buffer>[]): number {
    let stray = 0;
    for (const [producer, marks] of shards.flatMap((shard) => [...shard])) {
      const own = this.#marks.get(producer);
      for (const [at, byte] of marks.entries())
        for (let rest = byte & ~(own?.[at] ?? 0); rest > 0; rest &= rest - 1) stray++;
    }
    return stray;
  }
}

export function isMarked(marks: Buffer | undefined, at: number): boolean {
  return ((marks?.[at >>> 3] ?? 0) & (0x80 >>> (at & 7))) !== 0;
}
