import type { BatchId } from "@tally/contract";

const firstBytes = 1024;
const expected = "expected the columns producer and sequence of a batch, or a part of the marks";

/** Batches of a producer without gaps between `first` and `last`. */
export type Run = readonly [producer: string, first: number, last: number];

/** The marks of batches, as in Redis: bit n of a producer, highest bit of a byte first, is sequence n. */
export class BatchMarks {
  readonly #marks: Map<string, Buffer>;

  constructor(marks?: ReadonlyMap<string, Buffer>) {
    this.#marks = new Map(marks);
  }

  static of(batches: Iterable<BatchId>): BatchMarks {
    const marks = new BatchMarks();
    for (const { producer, sequence } of batches) marks.set(Buffer.from(producer, "hex"), sequence);
    return marks;
  }

  set(producer: unknown, sequence: unknown): void {
    if (!Buffer.isBuffer(producer) || typeof sequence !== "number") throw new TypeError(expected);
    const at = sequence >>> 3;
    const marks = this.#upTo(producer.toString("hex"), at + 1);
    marks.writeUInt8(marks.readUInt8(at) | (0x80 >>> (sequence & 7)), at);
  }

  /** Adds marks from an offset in bytes on, as `foldedMarks` selects them. */
  addAt(producer: unknown, from: unknown, bits: unknown): void {
    if (!Buffer.isBuffer(producer) || typeof from !== "number" || !Buffer.isBuffer(bits)) throw new TypeError(expected);
    const marks = this.#upTo(producer.toString("hex"), from + bits.length);
    for (const [at, byte] of bits.entries()) marks[from + at] = (marks[from + at] ?? 0) | byte;
  }

  has(producer: unknown, sequence: unknown): boolean {
    return Buffer.isBuffer(producer) && isMarked(this.#marks.get(producer.toString("hex")), Number(sequence));
  }

  get(producer: string): Buffer | undefined {
    return this.#marks.get(producer);
  }

  all(): Iterable<readonly [producer: string, marks: Buffer]> {
    return this.#marks;
  }

  /** 0.2 s for a producer with 2^26 sequences. */
  *runs(): Generator<Run> {
    for (const [producer, marks] of this.#marks) {
      let first: number | undefined;
      for (let at = 0; at <= marks.length * 8; at++) {
        if (isMarked(marks, at)) first ??= at;
        else if (first !== undefined) {
          yield [producer, first, at - 1];
          first = undefined;
        }
      }
    }
  }

  #upTo(producer: string, length: number): Buffer {
    const marks = this.#marks.get(producer) ?? Buffer.alloc(firstBytes);
    const grown = length <= marks.length ? marks : Buffer.concat([marks], Math.max(marks.length * 2, length));
    this.#marks.set(producer, grown);
    return grown;
  }
}

/** The marks of the first that are in none of the others. */
export function* unset(
  marks: Iterable<readonly [producer: string, marks: Buffer]>,
  others: readonly Pick<BatchMarks, "get">[],
): Generator<BatchId> {
  for (const [producer, own] of marks) {
    const found = others.map((other) => other.get(producer));
    for (const [at, byte] of own.entries()) {
      const rest = found.reduce((left, bytes) => left & ~(bytes?.[at] ?? 0), byte);
      for (let bit = 0; rest > 0 && bit < 8; bit++)
        if ((rest & (0x80 >>> bit)) !== 0) yield { producer, sequence: at * 8 + bit };
    }
  }
}

function isMarked(marks: Buffer | undefined, at: number): boolean {
  return ((marks?.[at >>> 3] ?? 0) & (0x80 >>> (at & 7))) !== 0;
}
