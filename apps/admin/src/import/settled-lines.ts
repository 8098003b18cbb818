import type { ImportLine, Outcome } from "./import-line.ts";

/** The lines of one or more requests, in the order of the file, and what became of each. */
export interface SettledBatch {
  readonly lines: readonly ImportLine[];
  readonly outcomes: readonly Outcome[];
}

/** Puts batches, which settle in any order, into the order of the file. */
export class SettledLines {
  readonly #waiting = new Map<number, SettledBatch>();
  readonly #onNext: (batch: SettledBatch) => void;
  #next = 0;

  /** `onNext` is called for each batch, in order. */
  constructor(onNext: (batch: SettledBatch) => void) {
    this.#onNext = onNext;
  }

  /** The first batch that has not settled. */
  get next(): number {
    return this.#next;
  }

  add(index: number, batch: SettledBatch): void {
    this.#waiting.set(index, batch);
    for (let next = this.#waiting.get(this.#next); next !== undefined; next = this.#waiting.get(this.#next)) {
      this.#waiting.delete(this.#next++);
      this.#onNext(next);
    }
  }
}
