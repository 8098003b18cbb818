const pageBits = 12;
const sequencesOfPage = 2 ** pageBits;

/** Rows of each batch: 4 bytes for each sequence of a producer, in pages. A forged sequence costs one page of 16 KiB. */
export class BatchCounts {
  readonly #producers = new Map<string, Map<number, Uint32Array>>();
  /** The rows of all batches that were added. */
  rows = 0;

  add(producer: unknown, sequence: unknown, rows: number): void {
    const { name, page: index, at } = placeOf(producer, sequence);
    let pages = this.#producers.get(name);
    if (pages === undefined) this.#producers.set(name, (pages = new Map()));
    let page = pages.get(index);
    if (page === undefined) pages.set(index, (page = new Uint32Array(sequencesOfPage)));
    page[at] = (page[at] ?? 0) + rows;
    this.rows += rows;
  }

  /** The rows of a batch, which is then left out of `rest`. */
  take(producer: unknown, sequence: unknown): number {
    const { name, page: index, at } = placeOf(producer, sequence);
    const page = this.#producers.get(name)?.get(index);
    const rows = page?.[at] ?? 0;
    if (rows > 0) page?.fill(0, at, at + 1);
    return rows;
  }

  /** The batches with rows that were not taken. */
  *rest(): Generator<readonly [producer: string, sequence: number, rows: number]> {
    for (const [producer, pages] of this.#producers)
      for (const [index, page] of pages)
        for (const [at, rows] of page.entries()) if (rows > 0) yield [producer, index * sequencesOfPage + at, rows];
  }
}

function placeOf(producer: unknown, sequence: unknown) {
  if (!Buffer.isBuffer(producer) || typeof sequence !== "number") {
    throw new TypeError("expected the columns producer and sequence of a batch");
  }
  return { name: producer.toString("hex"), page: sequence >>> pageBits, at: sequence & (sequencesOfPage - 1) };
}
