import type { KeyedRead, ReadKey, SqlReader } from "@tally/pipeline";
import { nameOfKey, readKeys } from "./read-keys.ts";

/*
 * One statement for many who ask, as one batch is for many who post (../ingest/group-commit.ts). A key:
 *
 *   asked     is in no statement yet; whoever asks for the same key joins it, and shares what it finds and its time
 *   under way is in a statement. Whoever asks for it now begins anew: what he gets was read after he asked
 *
 * Keys go as soon as fewer than `statementsMax` statements are under way: on an idle system in the same turn of the event loop,
 * under load when one is answered, and what was asked meanwhile goes together.
 */

export interface GroupReadOptions {
  readonly reader: SqlReader;
  /** How many may wait for an answer, of one kind, before further ones are turned away. */
  readonly waitingMax: number;
  /** How long one may wait for his turn. */
  readonly waitMs: number;
  /** Told of each statement how many keys stand in it. */
  readonly onStatement: (keys: number) => void;
}

/** Too many ask, or the database does not keep up with them. */
export class ReadsFull extends Error {
  readonly code = "READS_FULL";
}

interface Asker<T> {
  readonly resolve: (found: T) => void;
  readonly reject: (error: unknown) => void;
}

interface Asked<K, T> {
  readonly key: K;
  readonly sinceMs: number;
  readonly askers: Asker<T>[];
}

// More would make groups smaller, and fewer leave the database idle between two.
const statementsMax = 2;

/** Reads one kind of rows on one endpoint. */
export class GroupRead<K extends ReadKey, T> {
  readonly #o: GroupReadOptions;
  readonly #what: KeyedRead<K, T>;
  /** By name of the key, the oldest first. */
  readonly #asked = new Map<string, Asked<K, T>>();
  #waiting = 0;
  #statements = 0;
  #scheduled = false;

  constructor(what: KeyedRead<K, T>, options: GroupReadOptions) {
    this.#what = what;
    this.#o = options;
  }

  /** Rejects as the reader does, and with ReadsFull. */
  read(key: K): Promise<T> {
    if (this.#waiting >= this.#o.waitingMax) return Promise.reject(full());
    this.#waiting++;
    return new Promise((resolve, reject) => {
      const name = nameOfKey(key);
      const asked = this.#asked.get(name);
      if (asked === undefined)
        this.#asked.set(name, { key, sinceMs: performance.now(), askers: [{ resolve, reject }] });
      else asked.askers.push({ resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      // Later in this turn, so that all requests that were read together go together.
      setImmediate(() => {
        this.#scheduled = false;
        this.#pump();
      });
    });
  }

  #pump(): void {
    this.#turnAwayLate();
    while (this.#statements < statementsMax && this.#asked.size > 0) {
      const group = new Map<string, Asked<K, T>>();
      for (const [name, asked] of this.#asked) {
        group.set(name, asked);
        this.#asked.delete(name);
        if (group.size === this.#what.keysMax) break;
      }
      void this.#answer(group);
    }
  }

  async #answer(group: ReadonlyMap<string, Asked<K, T>>): Promise<void> {
    this.#statements++;
    try {
      const keys = Array.from(group.values(), ({ key }) => key);
      this.#o.onStatement(keys.length);
      const rows = await readKeys(this.#o.reader, this.#what, keys);
      for (const [name, { askers }] of group) {
        const found = this.#what.ofRows(rows.get(name) ?? []);
        for (const { resolve } of askers) resolve(found);
      }
    } catch (error) {
      // Nobody hears twice: who was told already is told in vain.
      for (const { askers } of group.values()) for (const { reject } of askers) reject(error);
    }
    this.#statements--;
    for (const { askers } of group.values()) this.#waiting -= askers.length;
    this.#pump();
  }

  // Where statements take long, whoever has waited too long for his turn costs none any more.
  #turnAwayLate(): void {
    const late = performance.now() - this.#o.waitMs;
    for (const [name, { sinceMs, askers }] of this.#asked) {
      if (sinceMs > late) return;
      this.#asked.delete(name);
      this.#waiting -= askers.length;
      for (const { reject } of askers) reject(full());
    }
  }
}

function full(): ReadsFull {
  return new ReadsFull("too many wait for an answer; ask again later");
}
