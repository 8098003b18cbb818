import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Numbers that look random and are always the same for a seed. */
export class Random {
  readonly #generator;

  constructor(seed: number) {
    this.#generator = xoroshiro128plus(seed);
  }

  /** A whole number from `from` to `to`, both included. */
  integer(from: number, to: number): number {
    return uniformInt(this.#generator, from, to);
  }

  /** A number from 0 to below 1. */
  readonly fraction = (): number => uniformInt(this.#generator, 0, 2 ** 31 - 1) / 2 ** 31;

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.integer(0, choices.length - 1)] ?? choices[0];
  }

  /** The same in another order (Fisher and Yates). */
  shuffled<T>(list: readonly T[]): readonly T[] {
    const shuffled = [...list];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.integer(0, last);
      const [a, b] = [shuffled[last], shuffled[other]];
      if (a === undefined || b === undefined) continue;
      shuffled[last] = b;
      shuffled[other] = a;
    }
    return shuffled;
  }
}
