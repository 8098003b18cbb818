import { setTimeout as delay } from "node:timers/promises";
import { bytesOfEventId, type KeyedRead, type Lookup, type SqlReader } from "@tally/contract";
import { nameOfKey, readKeys } from "../read/read-keys.ts";

interface Waiter<T> {
  readonly id: string;
  readonly sinceMs: number;
  readonly settle: (found: T | undefined) => void;
}

// Every 5 ms at first, then less often the longer the oldest waits, so that an outage of the writer causes no storm of queries.
const pollEveryMsMin = 5;
const pollEveryMsMax = 100;
const pollEveryShare = 0.2;

/** Waits for rows that the writer will store: polls the write endpoint, for all ids together. */
export class RowWait<T> {
  /** The lookup as a read by the 16 bytes of an event id; undefined for an event without rows. */
  readonly rows: KeyedRead<readonly [Buffer], T | undefined>;
  readonly #reader: SqlReader;
  readonly #withinMs: number;
  /** The oldest first. */
  readonly #waiters = new Set<Waiter<T>>();
  #polling = false;

  constructor(reader: SqlReader, { select, idsMax, ofRows }: Lookup<T>, withinMs: number) {
    this.#reader = reader;
    this.rows = {
      select,
      key: ["id"],
      keysMax: idsMax,
      ofRows: (rows) => (rows.length === 0 ? undefined : ofRows(rows)),
    };
    this.#withinMs = withinMs;
  }

  /** Resolves with undefined when there is no row within the time. Never rejects. */
  wait(id: string): Promise<T | undefined> {
    return new Promise((settle) => {
      this.#waiters.add({ id, sinceMs: performance.now(), settle });
      if (!this.#polling) void this.#poll();
    });
  }

  // Never runs twice at once.
  async #poll(): Promise<void> {
    this.#polling = true;
    for (let [oldest] = this.#waiters; oldest !== undefined; [oldest] = this.#waiters) {
      const waitedMs = performance.now() - oldest.sinceMs;
      await delay(Math.min(Math.max(waitedMs * pollEveryShare, pollEveryMsMin), pollEveryMsMax));
      const ids = [...new Set(Array.from(this.#waiters, ({ id }) => id))];
      for (let at = 0; at < ids.length; at += this.rows.keysMax) {
        this.#settle(await this.#read(ids.slice(at, at + this.rows.keysMax)));
      }
    }
    this.#polling = false;
  }

  async #read(ids: readonly string[]): Promise<ReadonlyMap<string, T>> {
    const found = new Map<string, T>();
    try {
      const keys = ids.map((id) => [bytesOfEventId(id)] as const);
      const rows = await readKeys(this.#reader, this.rows, keys);
      for (const [index, id] of ids.entries()) {
        const value = this.rows.ofRows(rows.get(nameOfKey(keys[index] ?? [])) ?? []);
        if (value !== undefined) found.set(id, value);
      }
    } catch {
      // Retried until the time is over, because the database may come back.
    }
    return found;
  }

  #settle(found: ReadonlyMap<string, T>): void {
    const late = performance.now() - this.#withinMs;
    for (const waiter of this.#waiters) {
      const value = found.get(waiter.id);
      if (value === undefined && waiter.sinceMs > late) continue;
      this.#waiters.delete(waiter);
      waiter.settle(value);
    }
  }
}
