import { dayOfSeries, measureOfSeries, type Series } from "@tally/contract";
import { hashOf, type Entries } from "./cell-counts.ts";

// A prime of 21 bits: its products with a hash are exact.
const prime = 2_097_143;

/** Checksums of counts, by series and member: 53 bits, not cryptographic. The sum of parts is that of the whole, so the
 * counts are not held: 200 bytes for each member of a series. */
export class FoldedSums {
  readonly #sums: Map<string, Map<string, readonly [number, number]>>;
  /** Members with a count that has stopped: the sum of their rows is another one. */
  readonly #stopped = new Set<string>();

  constructor(sums: FoldedSums["all"] = new Map()) {
    this.#sums = new Map(Array.from(sums, ([series, members]) => [series, new Map(members)]));
  }

  add(series: string, member: unknown, entries: Entries, by: Series["by"]): void {
    const members = this.#sums.getOrInsertComputed(series, () => new Map());
    let [word, rest] = members.get(String(member)) ?? [0, 0];
    for (const entry of entries) {
      // Odd: each change of one count by less than 2^32 changes the sum.
      const [hash, added] = [hashOf(entry[0] ?? 0) | 1, by(entry)];
      if (Math.abs(added) === Number.MAX_SAFE_INTEGER) this.#stopped.add(`${series} ${String(member)}`);
      word = (word + Math.imul(added, hash)) | 0;
      rest = (rest + (added % prime) * (hash >>> 11)) % prime;
    }
    members.set(String(member), [word, rest]);
  }

  /** Leaves the days before one out, and takes them from the measures of all time. */
  leaveOut(before: number): void {
    for (const [series, members] of this.#sums) {
      if ((dayOfSeries(series) ?? before) >= before) continue;
      this.#sums.delete(series);
      const all = this.#sums.getOrInsertComputed(measureOfSeries(series), () => new Map());
      for (const [member, [word, rest]] of members) {
        const [allWord, allRest] = all.get(member) ?? [0, 0];
        all.set(member, [(allWord - word) | 0, (allRest - rest) % prime]);
      }
    }
  }

  /** By series and member. */
  get all(): ReadonlyMap<string, ReadonlyMap<string, readonly [number, number]>> {
    return this.#sums;
  }

  get series(): readonly string[] {
    return [...this.#sums.keys()];
  }

  /** The members of a series whose counts are not those of folded ones. */
  differences(series: string, folded: FoldedSums): readonly string[] {
    const [own, others] = [this.#sums.get(series), folded.#sums.get(series)];
    const members = new Set([...(own?.keys() ?? []), ...(others?.keys() ?? [])]);
    return [...members].filter(
      (member) =>
        textOf(own?.get(member)) !== textOf(others?.get(member)) && !folded.#stopped.has(`${series} ${member}`),
    );
  }
}

const textOf = ([word, rest]: readonly [number, number] = [0, 0]): string => `${word} ${(rest + prime) % prime}`;
