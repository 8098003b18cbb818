import { setTimeout as delay } from "node:timers/promises";
import { bytesOfEventId, type KeyedRead, type Lookup, type SqlReader } from "@tally/pipeline";
import { nameOfKey, readKeys } from "../read/read-keys.ts";

interface Waiter<T> {
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
  readonly #waiters = new Map<string, Waiter<T>[]>();
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
      const waiter = { sinceMs: performance.now(), settle };
      const others = this.#waiters.get(id);
      if (others === undefined) this.#waiters.set(id, [waiter]);
      else others.push(waiter);
      if (!this.#polling) void this.#poll();
    });
  }

  // Never runs twice at once.
  async #poll(): Promise<void> {
    this.#polling = true;
    while (this.#waiters.size > 0) {
      // A Map iterates in insertion order.
      const [oldest] = this.#waiters.values().next().value ?? [];
      const waitedMs = performance.now() - (oldest?.sinceMs ?? 0);
      await delay(Math.min(Math.max(waitedMs * pollEveryShare, pollEveryMsMin), pollEveryMsMax));
      const ids = [...this.#waiters.keys()];
      for (let at = 0; at < ids.length; at += this.rows.keysMax) {
        await this.#read(ids.slice(at, at + this.rows.keysMax));
      }
      this.#giveUp();
    }
    this.#polling = false;
  }

  async #read(ids: readonly string[]): Promise<void> {
    try {
      const wanted = ids.map((id) => ({ id, key: [bytesOfEventId(id)] as const }));
      const keys = wanted.map(({ key }) => key);
      const rows = await readKeys(this.#reader, this.rows, keys);
      for (const { id, key } of wanted) {
        const found = this.rows.ofRows(rows.get(nameOfKey(key)) ?? []);
        if (found === undefined) continue;
        for (const { settle } of this.#waiters.get(id) ?? []) settle(found);
        this.#waiters.delete(id);
      }
    } catch {
      // Retried until the time is over, because the database may come back.
    }
  }

  #giveUp(): void {
    const late = performance.now() - this.#withinMs;
    for (const [id, waiters] of this.#waiters) {
      const left = waiters.filter(({ sinceMs }) => sinceMs > late);
      if (left.length === waiters.length) continue;
      for (const waiter of waiters) if (!left.includes(waiter)) waiter.settle(undefined);
      if (left.length === 0) this.#waiters.delete(id);
      else this.#waiters.set(id, left);
    }
  }
}
