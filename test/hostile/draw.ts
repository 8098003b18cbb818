import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Pseudo-random choices: always the same for one seed and one number, in whatever order the numbers are used. */
export class Draw {
  readonly #generator;

  constructor(seed: number, n: number) {
    // Neighbouring seeds give unrelated sequences only after some steps of mixing.
    this.#generator = xoroshiro128plus(Math.imul(seed ^ Math.imul(n + 1, 0x9e3779b1), 0x85ebca6b));
  }

  /** A whole number from `from` to `to`, both included. */
  integer(from: number, to: number): number {
    return uniformInt(this.#generator, from, to);
  }

  /** True once in `times` on average. */
  once(times: number): boolean {
    return this.integer(1, times) === 1;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.integer(0, choices.length - 1)] ?? choices[0];
  }
}
