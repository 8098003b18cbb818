import { foldedCounts, foldedSeries } from "@tally/database";
import { dayOfSeries, isKept, measureOfSeries, type KeptSeries, type Series, type SqlSnapshot } from "@tally/contract";
import { byOfCount, CellCounts, entriesOf, type Entries } from "./cell-counts.ts";
import { readTables } from "./read-tables.ts";

interface Target {
  readonly name: string;
  readonly by: Series["by"];
}

/** The counts of kept series. What a row adds to a day that is kept is held once: all time is the sum of these days, of
 * other rows, and of what is folded. */
export class SeriesCounts {
  readonly #kept: KeptSeries;
  readonly #cells = new Map<string, CellCounts>();
  readonly #targets = new WeakMap<readonly Series[], readonly Target[]>();

  constructor(kept: KeptSeries) {
    this.#kept = kept;
  }

  /** Adds a row. `series`: all of its series; the same object for the same ones costs less. */
  add(member: unknown, entries: Entries, series: readonly Series[]): void {
    for (const { name, by } of this.#targets.getOrInsertComputed(series, this.#targetsOf)) {
      this.#of(name).add(member, entries, by);
    }
  }

  /** Each kept series with its counts, days first. The counts are valid until the next ones: memory for those of all
   * time, of the rows of each day, and for one day of folded counts. Once. `onFolded`: members so far. */
  async *withFolded(
    snapshot: SqlSnapshot,
    domain: string,
    onFolded: (members: number) => void,
  ): AsyncGenerator<readonly [series: string, counts: CellCounts]> {
    let seen = 0;
    const folded = (await foldedSeries(snapshot, domain)).filter((series) => isKept(series, this.#kept));
    const addFolded = async (series: string, add: (member: unknown, entries: Entries) => void) => {
      if (!folded.includes(series)) return;
      for await (const rows of readTables(snapshot, [foldedCounts], [domain, series])) {
        for (const [member, text] of rows) add(member, entriesOf(text));
        onFolded((seen += rows.length));
      }
    };
    const days = [...new Set([...this.#cells.keys(), ...folded])].filter((series) => dayOfSeries(series) !== undefined);
    for (const day of days) {
      const [counts, measure] = [this.#of(day), measureOfSeries(day)];
      const allTime = isKept(measure, this.#kept) ? this.#of(measure) : undefined;
      await addFolded(day, (member, entries) => {
        counts.add(member, entries, byOfCount);
        // The folded counts of all time have them.
        allTime?.add(member, entries, (entry) => -byOfCount(entry));
      });
      yield [day, counts];
      this.#cells.delete(day);
      if (allTime !== undefined) this.#cells.set(measure, CellCounts.merged(allTime, counts));
    }
    for (const measure of new Set([...this.#cells.keys(), ...folded.filter((series) => !days.includes(series))])) {
      const counts = this.#of(measure);
      await addFolded(measure, (member, entries) => counts.add(member, entries, byOfCount));
      yield [measure, counts];
      this.#cells.delete(measure);
    }
  }

  readonly #targetsOf = (series: readonly Series[]): readonly Target[] => {
    const own = series.filter(({ name }) => isKept(name, this.#kept));
    const ofDays = new Set(
      own.filter(({ name }) => dayOfSeries(name) !== undefined).map(({ name }) => measureOfSeries(name)),
    );
    return own.filter(({ name }) => dayOfSeries(name) !== undefined || !ofDays.has(name));
  };

  #of(series: string): CellCounts {
    return this.#cells.getOrInsertComputed(series, () => new CellCounts());
  }
}
