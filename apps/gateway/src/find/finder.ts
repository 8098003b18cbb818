import { setTimeout as delay } from "node:timers/promises";
import { bytesOfEventId, type Event, type Lookup } from "@tally/contract";
import { rejection } from "../errors/catalogue.ts";
import { ClientError } from "../errors/reject.ts";
import type { GroupReads } from "../read/group-reads.ts";

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
  readonly recentBytesMax: number;
  readonly waitMs: number;
  readonly waitersMax: number;
  readonly onFind: (where: Found) => void;
}

// A Map entry and its objects, besides the event.
const overheadBytes = 400;
// How long writers may be behind. An older event that is on neither endpoint is 404.
const youngMs = 3_600_000;
// The largest difference between the clocks of gateways.
const clockSkewMs = 60_000;
// The longer the oldest waits, the less often, so that an outage of the writer causes no storm of queries.
const pollEveryMsMin = 5;
const pollEveryMsMax = 100;
const pollEveryShare = 0.2;

/** Finds accepted events of one domain. */
export class Finder {
  readonly #options: FinderOptions;
  /** The newest confirmed events of this gateway. */
  readonly #recent = new Map<string, { readonly event: Event; readonly bytes: number }>();
  #recentBytes = 0;
  /** Lookups that wait for their rows, the oldest first. */
  readonly #waiters = new Set<{ readonly sinceMs: number }>();
  #nextPoll: Promise<void> | undefined;

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
    const key = [bytesOfEventId(id)] as const;
    // By either clock: setting the first one does not change the second.
    const isYoung = [Date.now(), performance.timeOrigin + performance.now()].some(
      (now) => acceptedAtMs > now - youngMs && acceptedAtMs < now + clockSkewMs,
    );
    const read = await this.#options.read.read(lookup, key).catch((error: unknown) => {
      // Read endpoint down: the write endpoint has recent events. Overloaded: fails, because load must not shift.
      if (!isYoung || (error instanceof ClientError && error.code === "READS_FULL")) throw error;
      return undefined;
    });
    if (read !== undefined) return this.#found("read", read);
    const written = await this.#options.write.read(lookup, key);
    if (written !== undefined) return this.#found("write", written);
    if (!isYoung) return this.#found("none", undefined);
    return this.#found("waited", await this.#wait(lookup, key));
  }

  /** Reads the write endpoint until the row is there, in the same statements as all that wait. */
  async #wait<T>(lookup: Lookup<T>, key: readonly [Buffer]): Promise<T> {
    const { write, waitMs, waitersMax, onFind } = this.#options;
    if (this.#waiters.size < waitersMax) {
      const waiter = { sinceMs: performance.now() };
      this.#waiters.add(waiter);
      let found: T | undefined;
      do {
        await (this.#nextPoll ??= this.#pause());
        // After an error too, because the database may come back.
        found = await write.read(lookup, key).catch(() => undefined);
      } while (found === undefined && performance.now() - waiter.sinceMs < waitMs);
      this.#waiters.delete(waiter);
      if (found !== undefined) return found;
    }
    onFind("late");
    throw new ClientError(rejection("NOT_YET"));
  }

  async #pause(): Promise<void> {
    const [oldest] = this.#waiters;
    const waitedMs = oldest === undefined ? 0 : performance.now() - oldest.sinceMs;
    await delay(Math.min(Math.max(waitedMs * pollEveryShare, pollEveryMsMin), pollEveryMsMax));
    this.#nextPoll = undefined;
  }

  #found<T>(where: Found, found: T): T {
    this.#options.onFind(where);
    return found;
  }
}
