const shownMax = 10;

/** The number of findings and the first ten. */
export interface Found<T> {
  readonly count: number;
  readonly first: readonly T[];
}

/** Counts, and keeps the first ten. */
export class Findings<T> implements Found<T> {
  count = 0;
  readonly first: T[] = [];

  add(one: T): void {
    if (++this.count <= shownMax) this.first.push(one);
  }
}
