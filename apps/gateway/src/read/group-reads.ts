import type { KeyedRead, ReadKey, SqlReader } from "@tally/contract";
import { rejection } from "../errors/catalogue.ts";
import { ClientError } from "../errors/reject.ts";

/*
 * One statement for many readers, as one batch is for many events (../ingest/group-commit.ts). A key:
 *
 *   pending    is in no statement yet. Further readers of the same key join it, and share its result and its time
 *   under way  is in a statement. A new reader of this key gets a new pending key, so its rows are read after its call
 *
 * Keys are sent as soon as fewer than `statementsMax` statements are under way: on an idle system in the same turn of
 * the event loop, under load when a statement returns, together with all keys that became pending meanwhile.
 */

/** `waitingMax`: readers of one kind; further ones are rejected. `waitMs`: until the statement of a reader starts. */
export interface GroupReadOptions {
  readonly reader: SqlReader;
  readonly waitingMax: number;
  readonly waitMs: number;
  /** Called for each statement with its number of keys. */
  readonly onStatement: (keys: number) => void;
}

interface Pending<K, T> {
  readonly key: K;
  readonly sinceMs: number;
  readonly result: PromiseWithResolvers<T>;
  readers: number;
}

// More statements make groups smaller; with only one, the database is idle between statements.
const statementsMax = 2;

/** Reads rows of any kind on one endpoint. Reads of one kind that arrive at about the same time share a statement. */
export class GroupReads {
  readonly #options: GroupReadOptions;
  /** KeyedRead<K, T> → GroupRead<K, T> */
  readonly #groups = new Map<object, unknown>();

  constructor(options: GroupReadOptions) {
    this.#options = options;
  }

  /** Rejects with the reader's error, and with READS_FULL. */
  read<K extends ReadKey, T>(what: KeyedRead<K, T>, key: K): Promise<T> {
    // The group that is kept under a kind was made for it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    let group = this.#groups.get(what) as GroupRead<K, T> | undefined;
    if (group === undefined) this.#groups.set(what, (group = new GroupRead(what, this.#options)));
    return group.read(key);
  }
}

/** Reads one kind of rows. */
class GroupRead<K extends ReadKey, T> {
  readonly #options: GroupReadOptions;
  readonly #what: KeyedRead<K, T>;
  /** By name of the key, the oldest first. */
  readonly #pending = new Map<string, Pending<K, T>>();
  #waiting = 0;
  #statements = 0;
  #wake: NodeJS.Immediate | undefined;

  constructor(what: KeyedRead<K, T>, options: GroupReadOptions) {
    this.#what = what;
    this.#options = options;
  }

  read(key: K): Promise<T> {
    if (this.#waiting >= this.#options.waitingMax) return Promise.reject(full());
    this.#waiting++;
    const name = nameOfKey(key);
    const known = this.#pending.get(name);
    const pending = known ?? { key, sinceMs: performance.now(), result: Promise.withResolvers<T>(), readers: 0 };
    if (known === undefined) this.#pending.set(name, pending);
    pending.readers++;
    // Later in this turn, so that all requests that were read together go together.
    this.#wake ??= setImmediate(() => {
      this.#wake = undefined;
      this.#pump();
    });
    return pending.result.promise;
  }

  #pump(): void {
    this.#rejectLate();
    while (this.#statements < statementsMax && this.#pending.size > 0) {
      const group = new Map<string, Pending<K, T>>();
      for (const [name, pending] of this.#pending) {
        group.set(name, pending);
        this.#pending.delete(name);
        if (group.size === this.#what.keysMax) break;
      }
      void this.#query(group);
    }
  }

  async #query(group: ReadonlyMap<string, Pending<K, T>>): Promise<void> {
    this.#statements++;
    try {
      this.#options.onStatement(group.size);
      const { select, key: columns, values, ofRows } = this.#what;
      const keys = Array.from(group.values(), ({ key }) => key);
      const [sent] = values === undefined ? [[keys]] : keys.map(values);
      const rows = await this.#options.reader.query<Record<string, unknown>>(select, sent);
      const byName = columns && Map.groupBy(rows, (row) => nameOfKey(columns.map((column) => row[column])));
      for (const [name, { key, result }] of group)
        result.resolve(ofRows(byName === undefined ? rows : (byName.get(name) ?? []), key));
    } catch (error) {
      // Rejecting a resolved promise is a no-op.
      for (const { result } of group.values()) result.reject(error);
    }
    this.#statements--;
    for (const { readers } of group.values()) this.#waiting -= readers;
    this.#pump();
  }

  // When statements are slow, a reader that has waited too long costs the database nothing.
  #rejectLate(): void {
    const late = performance.now() - this.#options.waitMs;
    for (const [name, { sinceMs, readers, result }] of this.#pending) {
      if (sinceMs > late) return;
      this.#pending.delete(name);
      this.#waiting -= readers;
      result.reject(full());
    }
  }
}

const full = (): ClientError => new ClientError(rejection("READS_FULL"));

/** A key as text. Equal keys have equal names, in any representation of their columns. */
export function nameOfKey(key: readonly unknown[]): string {
  // Most keys have one column, and JSON costs more than all other work here.
  return key.length === 1 ? textOf(key[0]) : JSON.stringify(key.map(textOf));
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("hex") : String(value);
}
