import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Pseudo-random numbers: the same seed always gives the same sequence. */
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

  /** True once in `times` calls on average. */
  once(times: number): boolean {
    return this.integer(1, times) === 1;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.integer(0, choices.length - 1)] ?? choices[0];
  }

  /** A copy in random order. */
  shuffled<T>(list: readonly T[]): readonly T[] {
    const keyed = list.map((one) => ({ one, key: this.fraction() }));
    return keyed.toSorted((a, b) => a.key - b.key).map(({ one }) => one);
  }
}

/** The end of MurmurHash3: generators with neighbouring seeds start nearly alike, those with mixed seeds do not. */
export function mixSeed(seed: number): number {
  let bits = seed | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
