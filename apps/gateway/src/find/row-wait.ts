import { setTimeout as delay } from "node:timers/promises";
import { bytesOfEventId, type SqlReader } from "@tally/pipeline";
import { nameOfKey, readKeys } from "../read/read-keys.ts";
import type { RowsOfEvents } from "./rows-of-events.ts";

interface Waiter<T> {
  readonly sinceMs: number;
  readonly settle: (found: T | undefined) => void;
}

// Asked for every 5 ms at first, and the longer the oldest waits the more seldom: a writer that is away for long is no reason for a storm.
const askEveryMsMin = 5;
const askEveryMsMax = 100;
const askEveryShare = 0.2;

/** Waits for rows that will come to the write endpoint: all ids that are waited for are asked for together. */
export class RowWait<T> {
  readonly #reader: SqlReader;
  readonly #rows: RowsOfEvents<T>;
  readonly #withinMs: number;
  readonly #waiters = new Map<string, Waiter<T>[]>();
  #asking = false;

  constructor(reader: SqlReader, rows: RowsOfEvents<T>, withinMs: number) {
    this.#reader = reader;
    this.#rows = rows;
    this.#withinMs = withinMs;
  }

  /** undefined: not within the time. Never rejects. */
  wait(id: string): Promise<T | undefined> {
    return new Promise((settle) => {
      const waiter = { sinceMs: performance.now(), settle };
      const others = this.#waiters.get(id);
      if (others === undefined) this.#waiters.set(id, [waiter]);
      else others.push(waiter);
      if (!this.#asking) void this.#ask();
    });
  }

  // Never runs twice at once.
  async #ask(): Promise<void> {
    this.#asking = true;
    while (this.#waiters.size > 0) {
      // A Map is walked in the order in which it was filled.
      const [oldest] = this.#waiters.values().next().value ?? [];
      const waitedMs = performance.now() - (oldest?.sinceMs ?? 0);
      await delay(Math.min(Math.max(waitedMs * askEveryShare, askEveryMsMin), askEveryMsMax));
      const ids = [...this.#waiters.keys()];
      for (let at = 0; at < ids.length; at += this.#rows.keysMax) {
        await this.#askFor(ids.slice(at, at + this.#rows.keysMax));
      }
      this.#giveUp();
    }
    this.#asking = false;
  }

  async #askFor(ids: readonly string[]): Promise<void> {
    try {
      const asked = ids.map((id) => ({ id, key: [bytesOfEventId(id)] as const }));
      const keys = asked.map(({ key }) => key);
      const rows = await readKeys(this.#reader, this.#rows, keys);
      for (const { id, key } of asked) {
        const found = this.#rows.ofRows(rows.get(nameOfKey(key)) ?? []);
        if (found === undefined) continue;
        for (const { settle } of this.#waiters.get(id) ?? []) settle(found);
        this.#waiters.delete(id);
      }
    } catch {
      // Asked again until the time is over: a database that is away comes back.
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
