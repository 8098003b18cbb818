import { setTimeout as sleep } from "node:timers/promises";
import type { KeyedRead, ReadKey, Sources } from "@tally/contract";
import { nameOfKey } from "./group-reads.ts";

interface Kept<T> {
  value: T | undefined;
  readonly atMs: number;
  /** Undefined once the read has ended or has lasted `waitMs`. */
  reading: Promise<T | undefined> | undefined;
}

/** `keptMs`: how old a value may be. `keysMax`: limit of each kind. `waitMs`: how long a caller waits for a read; then
 * it gets the value before, or undefined. */
export interface KeptReadOptions {
  readonly read: Sources["read"];
  readonly keptMs: number;
  readonly keysMax: number;
  readonly waitMs: number;
}

/** Keeps what was read for `keptMs`, and forgets what is not asked for again. A failed read keeps the value before, and
 * is repeated only after `keptMs`: while the database is down, rankings keep their names and are hardly slower. */
export function keptReads({ read, keptMs, keysMax, waitMs }: KeptReadOptions): Sources["readKept"] {
  /** KeyedRead<K, T> → Kept<T> by name of the key, the oldest first. */
  const kinds = new Map<object, Map<string, Kept<unknown>>>();

  async function renew<K extends ReadKey, T>(kept: Kept<T>, what: KeyedRead<K, T>, key: K): Promise<T | undefined> {
    const renewed = read(what, key).then(
      (value) => void (kept.value = value),
      () => undefined,
    );
    await Promise.race([renewed, sleep(waitMs, undefined, { ref: false })]);
    kept.reading = undefined;
    return kept.value;
  }

  return function readKept<K extends ReadKey, T>(what: KeyedRead<K, T>, key: K) {
    const kind = kinds.getOrInsertComputed(what, () => new Map());
    const name = nameOfKey(key);
    // All values in `kind` were read by `what`.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const known = kind.get(name) as Kept<T> | undefined;
    const atMs = performance.now();
    if (known !== undefined && atMs - known.atMs < keptMs) return known.reading ?? known.value;
    const kept: Kept<T> = { value: known?.value, atMs, reading: undefined };
    kept.reading = renew(kept, what, key);
    kind.delete(name);
    kind.set(name, kept);
    for (const [oldest, { atMs: readAtMs }] of kind) {
      // A key may have a time in it, and its value a megabyte.
      if (kind.size <= keysMax && atMs - readAtMs < 12 * keptMs) break;
      kind.delete(oldest);
    }
    return kept.reading;
  };
}
