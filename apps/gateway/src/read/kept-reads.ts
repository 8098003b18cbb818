import { setTimeout as sleep } from "node:timers/promises";
import type { KeyedRead, ReadKey, Sources } from "@tally/contract";
import { nameOfKey } from "./group-reads.ts";

interface Kept<T> {
  value: T | undefined;
  readonly atMs: number;
  /** Until it ends, or has lasted too long. */
  reading: Promise<T | undefined> | undefined;
}

/** `keptMs`: how old a value may be. `keysMax`: of each kind. `waitMs`: for a read, after that its value is undefined or
 * the one before. */
export interface KeptReadOptions {
  readonly read: Sources["read"];
  readonly keptMs: number;
  readonly keysMax: number;
  readonly waitMs: number;
}

/** Keeps what was read for some seconds. A failed read is repeated after that, so a database that is down costs rankings
 * no time and no names. */
export class KeptReads {
  readonly #options: KeptReadOptions;
  /** KeyedRead<K, T> → Kept<T> by name of the key, the oldest first. */
  readonly #kinds = new Map<object, Map<string, Kept<unknown>>>();

  constructor(options: KeptReadOptions) {
    this.#options = options;
  }

  read<K extends ReadKey, T>(what: KeyedRead<K, T>, key: K): T | undefined | Promise<T | undefined> {
    let kind = this.#kinds.get(what);
    if (kind === undefined) this.#kinds.set(what, (kind = new Map()));
    const name = nameOfKey(key);
    // What is kept of a kind was read by it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const known = kind.get(name) as Kept<T> | undefined;
    const atMs = performance.now();
    if (known !== undefined && atMs - known.atMs < this.#options.keptMs) return known.reading ?? known.value;
    const kept: Kept<T> = { value: known?.value, atMs, reading: undefined };
    kept.reading = this.#renew(kept, what, key);
    kind.delete(name);
    kind.set(name, kept);
    const [oldest] = kind.size > this.#options.keysMax ? kind.keys() : [];
    if (oldest !== undefined) kind.delete(oldest);
    return kept.reading;
  }

  async #renew<K extends ReadKey, T>(kept: Kept<T>, what: KeyedRead<K, T>, key: K): Promise<T | undefined> {
    const { read, waitMs } = this.#options;
    const renewed = read(what, key).then(
      (value) => void (kept.value = value),
      () => undefined,
    );
    await Promise.race([renewed, sleep(waitMs, undefined, { ref: false })]);
    kept.reading = undefined;
    return kept.value;
  }
}
