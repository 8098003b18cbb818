const shownMax = 10;

/** How many there are of something that should not be, and the first ten of them. JSON of it reads the same. */
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
