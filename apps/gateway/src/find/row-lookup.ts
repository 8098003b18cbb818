import { bytesOfEventId, eventIdOfBytes, type Lookup, type SqlReader } from "@tally/pipeline";

/** What some ids have on one endpoint, by id; without those that have nothing. One statement. */
export async function findRows<T>(
  reader: SqlReader,
  lookup: Lookup<T>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, T>> {
  const rows = await reader.query<{ readonly id: Buffer }>(lookup.select, [ids.map(bytesOfEventId)]);
  const byId = Map.groupBy(rows, (row) => eventIdOfBytes(row.id));
  return new Map(Array.from(byId, ([id, own]) => [id, lookup.ofRows(own)]));
}

interface Asker<T> {
  readonly resolve: (found: T | undefined) => void;
  readonly reject: (error: unknown) => void;
}

// While so many statements are under way, what comes meanwhile waits and goes together.
const statementsMax = 2;

/** Looks ids up on one endpoint: those that are asked for at about the same time go in one statement. */
export class RowLookup<T> {
  readonly #reader: SqlReader;
  readonly #lookup: Lookup<T>;
  readonly #asked = new Map<string, Asker<T>[]>();
  #statements = 0;
  #scheduled = false;

  constructor(reader: SqlReader, lookup: Lookup<T>) {
    this.#reader = reader;
    this.#lookup = lookup;
  }

  /** undefined: the endpoint has nothing of it. Rejects as the reader does. */
  find(id: string): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const askers = this.#asked.get(id);
      if (askers === undefined) this.#asked.set(id, [{ resolve, reject }]);
      else askers.push({ resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      // Later in this turn, so that all requests that were read together go together.
      setImmediate(() => {
        this.#scheduled = false;
        this.#ask();
      });
    });
  }

  #ask(): void {
    while (this.#statements < statementsMax && this.#asked.size > 0) {
      const taken = [...this.#asked].slice(0, this.#lookup.idsMax);
      for (const [id] of taken) this.#asked.delete(id);
      this.#statements++;
      void this.#answer(taken);
    }
  }

  async #answer(taken: readonly (readonly [string, readonly Asker<T>[]])[]): Promise<void> {
    try {
      const ids = taken.map(([id]) => id);
      const found = await findRows(this.#reader, this.#lookup, ids);
      for (const [id, askers] of taken) for (const { resolve } of askers) resolve(found.get(id));
    } catch (error) {
      for (const [, askers] of taken) for (const { reject } of askers) reject(error);
    } finally {
      this.#statements--;
      this.#ask();
    }
  }
}
