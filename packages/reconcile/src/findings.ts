const shownMax = 10;

/** The number of findings and the first ten. Its JSON has the same fields. */
export interface Found<T> {
  readonly count: number;
  readonly first: readonly T[];
}

/** Counts, and keeps the first ten. */
export class Findings<T> implements Found<T> {
  #count = 0;
  readonly #first: T[] = [];

  get count(): number {
    return this.#count;
  }

  get first(): readonly T[] {
    return this.#first;
  }

  add(one: T): void {
    if (++this.#count <= shownMax) this.#first.push(one);
  }

  toJSON(): Found<T> {
    return { count: this.#count, first: this.#first };
  }
}
