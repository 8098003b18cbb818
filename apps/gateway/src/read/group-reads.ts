import type { KeyedRead, ReadKey, Sources, SqlReader } from "@tally/contract";
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

/** Returns a function that reads rows of any kind on one endpoint. Reads of one kind that arrive at about the same time
 * share a statement. It rejects with the reader's error, and with READS_FULL. */
export function groupReads(options: GroupReadOptions): Sources["read"] {
  /** KeyedRead<K, T> → the read of a key: K → T */
  const kinds = new Map<object, unknown>();
  return function read<K extends ReadKey, T>(what: KeyedRead<K, T>, key: K): Promise<T> {
    // What is kept under a kind was made for it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const readOne = kinds.getOrInsertComputed(what, () => readsOfKind(what, options)) as (key: K) => Promise<T>;
    return readOne(key);
  };
}

/** Reads one kind of rows. */
function readsOfKind<K extends ReadKey, T>(
  { select, key: columns, values, ofRows, keysMax }: KeyedRead<K, T>,
  { reader, waitingMax, waitMs, onStatement }: GroupReadOptions,
) {
  /** By name of the key, the oldest first. */
  const pending = new Map<string, Pending<K, T>>();
  let waiting = 0;
  let statements = 0;
  let wake: NodeJS.Immediate | undefined;

  function pump(): void {
    rejectLate();
    while (statements < statementsMax && pending.size > 0) {
      const group = new Map<string, Pending<K, T>>();
      for (const [name, one] of pending) {
        group.set(name, one);
        pending.delete(name);
        if (group.size === keysMax) break;
      }
      void query(group);
    }
  }

  async function query(group: ReadonlyMap<string, Pending<K, T>>): Promise<void> {
    statements++;
    try {
      onStatement(group.size);
      const keys = Array.from(group.values(), ({ key }) => key);
      const [sent] = values === undefined ? [[keys]] : keys.map(values);
      const rows = await reader.query<Record<string, unknown>>(select, sent);
      const byName = columns && Map.groupBy(rows, (row) => nameOfKey(columns.map((column) => row[column])));
      for (const [name, { key, result }] of group)
        result.resolve(ofRows(byName === undefined ? rows : (byName.get(name) ?? []), key));
    } catch (error) {
      // Rejecting a resolved promise is a no-op.
      for (const { result } of group.values()) result.reject(error);
    }
    statements--;
    for (const { readers } of group.values()) waiting -= readers;
    pump();
  }

  // When statements are slow, a reader that has waited too long costs the database nothing.
  function rejectLate(): void {
    const late = performance.now() - waitMs;
    for (const [name, { sinceMs, readers, result }] of pending) {
      if (sinceMs > late) return;
      pending.delete(name);
      waiting -= readers;
      result.reject(full());
    }
  }

  return (key: K): Promise<T> => {
    if (waiting >= waitingMax) return Promise.reject(full());
    waiting++;
    const one = pending.getOrInsertComputed(nameOfKey(key), () => {
      return { key, sinceMs: performance.now(), result: Promise.withResolvers<T>(), readers: 0 };
    });
    one.readers++;
    // Later in this turn, so that all requests that were read together go together.
    wake ??= setImmediate(() => {
      wake = undefined;
      pump();
    });
    return one.result.promise;
  };
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
