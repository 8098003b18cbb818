/** Rows of each batch: 4 bytes for each sequence of a producer. */
export class BatchCounts {
  readonly #producers = new Map<string, Uint32Array>();
  /** The rows of all batches that were added. */
  rows = 0;

  add(producer: unknown, sequence: unknown, rows: number): void {
    const { name, at } = placeOf(producer, sequence);
    let counts = this.#producers.get(name) ?? new Uint32Array(1024);
    if (at >= counts.length) {
      const grown = new Uint32Array(Math.max(counts.length * 2, at + 1));
      grown.set(counts);
      counts = grown;
    }
    counts[at] = (counts[at] ?? 0) + rows;
    this.#producers.set(name, counts);
    this.rows += rows;
  }

  /** The rows of a batch, which is then left out of `rest`. */
  take(producer: unknown, sequence: unknown): number {
    const { name, at } = placeOf(producer, sequence);
    const counts = this.#producers.get(name);
    const rows = counts?.[at] ?? 0;
    if (rows > 0) counts?.fill(0, at, at + 1);
    return rows;
  }

  /** The batches with rows that were not taken. */
  *rest(): Generator<readonly [producer: string, sequence: number, rows: number]> {
    for (const [producer, counts] of this.#producers) {
      for (const [sequence, rows] of counts.entries()) if (rows > 0) yield [producer, sequence, rows];
    }
  }
}

function placeOf(producer: unknown, sequence: unknown) {
  if (!Buffer.isBuffer(producer) || typeof sequence !== "number") {
    throw new TypeError("expected the columns producer and sequence of a batch");
  }
  return { name: producer.toString("hex"), at: sequence };
}
