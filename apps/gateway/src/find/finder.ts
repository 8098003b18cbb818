import { setTimeout as delay } from "node:timers/promises";
import { bytesOfEventId, type Event, type KeyedRead, type Lookup, type SqlReader } from "@tally/contract";
import { rejection } from "../errors/catalogue.ts";
import { ClientError } from "../errors/reject.ts";
import { type GroupReads, nameOfKey, readKeys } from "../read/group-reads.ts";

/*
 * Where an accepted event is found, although its row may not be stored yet, or may not have reached the read endpoint:
 *
 *   memory  in this gateway, which published it a moment ago
 *   read    on the read endpoint: nearly always
 *   write   on the write endpoint, because the replica is behind
 *   waited  not stored yet. The client got a 2xx, so the row will arrive
 *   late    the row did not arrive in time, or too many lookups wait: 503, because a 404 would be wrong
 *   none    on no endpoint and older than an hour: no such event
 *
 * An id contains its time, so lookups of old ids do not wait. An invented id with a recent time waits until the limit.
 * The number of waiting lookups is bounded.
 */

export type Found = "memory" | "read" | "write" | "waited" | "late" | "none";

export interface FinderOptions {
  readonly read: GroupReads;
  readonly write: GroupReads;
  /** The write endpoint, for lookups that wait. */
  readonly writer: SqlReader;
  readonly recentBytesMax: number;
  readonly waitMs: number;
  readonly waitersMax: number;
  readonly onFind: (where: Found) => void;
}

// Of a Map entry and its objects, besides the event.
const overheadBytes = 400;
// How long writers may be behind. An older event that is on neither endpoint is 404.
const youngMs = 3_600_000;
// The largest difference between the clocks of gateways.
const clockSkewMs = 60_000;

/** Finds accepted events of one domain. */
export class Finder {
  readonly #options: FinderOptions;
  /** The newest confirmed events of this gateway. */
  readonly #recent = new Map<string, { readonly event: Event; readonly bytes: number }>();
  #recentBytes = 0;
  /** Lookup<T> → RowWait<T> */
  readonly #waits = new Map<object, unknown>();
  #waiters = 0;

  constructor(options: FinderOptions) {
    this.#options = options;
  }

  /** Keeps a confirmed event; `size`: about its bytes. */
  remember(event: Event, size: number): void {
    const { recentBytesMax } = this.#options;
    const bytes = size + overheadBytes;
    if (bytes > recentBytesMax || this.#recent.has(event.id)) return;
    this.#recent.set(event.id, { event, bytes });
    this.#recentBytes += bytes;
    // A Map iterates in insertion order: the oldest first.
    for (const [id, oldest] of this.#recent) {
      if (this.#recentBytes <= recentBytesMax) break;
      this.#recent.delete(id);
      this.#recentBytes -= oldest.bytes;
    }
  }

  /** Undefined: there is no such event. Rejects with NOT_YET, READS_FULL, or the error of the database. */
  async find<T>(lookup: Lookup<T>, id: string, acceptedAtMs: number): Promise<T | undefined> {
    const own = this.#recent.get(id);
    if (own !== undefined) return this.#found("memory", lookup.ofEvent(own.event));
    const wait = this.#waitOf(lookup);
    const key = [bytesOfEventId(id)] as const;
    // By either clock: setting the first one does not change the second.
    const isYoung = [Date.now(), performance.timeOrigin + performance.now()].some(
      (now) => acceptedAtMs > now - youngMs && acceptedAtMs < now + clockSkewMs,
    );
    const read = await this.#options.read.read(wait.rows, key).catch((error: unknown) => {
      // Read endpoint down: the write endpoint has recent events. Overloaded: fails, because load must not shift.
      if (!isYoung || (error instanceof ClientError && error.code === "READS_FULL")) throw error;
      return undefined;
    });
    if (read !== undefined) return this.#found("read", read);
    const written = await this.#options.write.read(wait.rows, key);
    if (written !== undefined) return this.#found("write", written);
    if (!isYoung) return this.#found("none", undefined);
    return this.#found("waited", await this.#wait(wait, id));
  }

  async #wait<T>(wait: RowWait<T>, id: string): Promise<T> {
    if (this.#waiters < this.#options.waitersMax) {
      this.#waiters++;
      const found = await wait.wait(id);
      this.#waiters--;
      if (found !== undefined) return found;
    }
    this.#options.onFind("late");
    throw new ClientError(rejection("NOT_YET"));
  }

  #found<T>(where: Found, found: T): T {
    this.#options.onFind(where);
    return found;
  }

  #waitOf<T>(lookup: Lookup<T>): RowWait<T> {
    // The value of a lookup was made from it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    let wait = this.#waits.get(lookup) as RowWait<T> | undefined;
    if (wait === undefined)
      this.#waits.set(lookup, (wait = new RowWait(this.#options.writer, lookup, this.#options.waitMs)));
    return wait;
  }
}

interface Waiter<T> {
  readonly id: string;
  readonly sinceMs: number;
  readonly settle: (found: T | undefined) => void;
}

// The longer the oldest waits, the less often, so that an outage of the writer causes no storm of queries.
const pollEveryMsMin = 5;
const pollEveryMsMax = 100;
const pollEveryShare = 0.2;

/** Waits for rows that the writer will store: polls the write endpoint, for all ids together. */
class RowWait<T> {
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
