import { foldedCounts, foldedSeries } from "@tally/database";
import { dayOfSeries, isKept, measureOfSeries, type KeptSeries, type Series, type SqlSnapshot } from "@tally/contract";
import { byOfCount, CellCounts, entriesOf, type Entries } from "./cell-counts.ts";
import { readTables } from "./read-tables.ts";

interface Target {
  readonly name: string;
  readonly by: Series["by"];
}

/** The counts of kept series. A row of a kept day is held once, in that day; `withFolded` adds it to all time. */
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

  /** Each kept series with its counts, days first, valid until the next ones are asked for. Call it once. In memory: all
   * time, the rows of each day, and the folded counts of one day. Not exact for all time where the count of a day has
   * stopped at 2^53 - 1. `onFolded`: rows so far. */
  async *withFolded(
    snapshot: SqlSnapshot,
    domain: string,
    onFolded: (rows: number) => void,
  ): AsyncGenerator<readonly [series: string, counts: CellCounts]> {
    let seen = 0;
    const folded = (await foldedSeries(snapshot, domain)).filter((series) => isKept(series, this.#kept));
    const addFolded = async (series: string, add: (member: unknown, entries: Entries) => void) => {
      for await (const rows of readTables(snapshot, [foldedCounts], [domain, series])) {
        for (const [member, text] of rows) add(member, entriesOf(text));
        onFolded((seen += rows.length));
      }
    };
    const all = new Set([...this.#cells.keys(), ...folded]);
    const days = [...all].filter((series) => dayOfSeries(series) !== undefined);
    for (const measure of folded.filter((series) => !days.includes(series)))
      await addFolded(measure, (member, entries) => this.#of(measure).add(member, entries, byOfCount));
    for (const day of days) {
      const [counts, measure] = [this.#of(day), measureOfSeries(day)];
      const allTime = isKept(measure, this.#kept) ? this.#of(measure) : undefined;
      await addFolded(day, (member, entries) => {
        counts.add(member, entries, byOfCount);
        // They are in the folded counts of all time, and come again with this day.
        allTime?.add(member, entries, (entry) => -byOfCount(entry));
      });
      yield [day, counts];
      this.#cells.delete(day);
      if (allTime !== undefined) this.#cells.set(measure, CellCounts.merged(allTime, counts));
    }
    for (const one of this.#cells) yield one;
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
