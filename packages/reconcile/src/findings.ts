const shownMax = 10;

/** How many there are of something that should not be, and the first ten of them. */
export class Findings<T> {
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

  toJSON(): object {
    return { count: this.#count, first: this.#first };
  }
}
