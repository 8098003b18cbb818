import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Pseudo-random choices: always the same for one seed and one number, in whatever order the numbers are used. */
export class Draw {
  readonly #generator;

  constructor(seed: number, n: number) {
    this.#generator = xoroshiro128plus(mixed(seed ^ mixed(n + 1)));
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

/** Spreads every bit of a number over all 32 (the end of MurmurHash3), so that neighbours start unrelated sequences. */
function mixed(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
