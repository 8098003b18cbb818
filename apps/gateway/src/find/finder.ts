import { setTimeout as delay } from "node:timers/promises";
import { bytesOfEventId, type Event, type Lookup, type Sources } from "@tally/contract";
import { rejection } from "../errors/catalogue.ts";
import { ClientError } from "../errors/reject.ts";

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

interface FinderOptions {
  readonly read: Sources["read"];
  readonly write: Sources["read"];
  readonly recentBytesMax: number;
  readonly waitMs: number;
  readonly waitersMax: number;
  readonly onFind: (where: Found) => void;
}

// A Map entry and its objects, besides the event.
const overheadBytes = 400;
// How long writers may be behind. An older event that is on neither endpoint is 404.
const youngMs = 3_600_000;
// An id of a time that is further ahead was invented, or its gateway had a clock that is corrected by now.
const aheadMsMax = 7 * 86_400_000;
// The longer the oldest waits, the less often, so that an outage of the writer causes no storm of queries.
const pollEveryMsMin = 5;
const pollEveryMsMax = 100;
const pollEveryShare = 0.2;

/** Finds accepted events of one domain. */
export function createFinder({ read, write, recentBytesMax, waitMs, waitersMax, onFind }: FinderOptions) {
  /** The newest confirmed events of this gateway. */
  const recent = new Map<string, { readonly event: Event; readonly bytes: number }>();
  let recentBytes = 0;
  /** Lookups that wait for their rows, the oldest first. */
  const waiters = new Set<{ readonly sinceMs: number }>();
  let nextPoll: Promise<void> | undefined;

  function found<T>(where: Found, value: T): T {
    onFind(where);
    return value;
  }

  /** Reads the write endpoint until the row is there, in the same statements as all that wait. */
  async function wait<T>(lookup: Lookup<T>, key: readonly [Buffer]): Promise<T> {
    if (waiters.size < waitersMax) {
      const waiter = { sinceMs: performance.now() };
      waiters.add(waiter);
      let value: T | undefined;
      do {
        await (nextPoll ??= pause());
        // After an error too, because the database may come back.
        value = await write(lookup, key).catch(() => undefined);
      } while (value === undefined && performance.now() - waiter.sinceMs < waitMs);
      waiters.delete(waiter);
      if (value !== undefined) return value;
    }
    onFind("late");
    throw new ClientError(rejection("NOT_YET"));
  }

  async function pause(): Promise<void> {
    const [oldest] = waiters;
    const waitedMs = oldest === undefined ? 0 : performance.now() - oldest.sinceMs;
    await delay(Math.min(Math.max(waitedMs * pollEveryShare, pollEveryMsMin), pollEveryMsMax));
    nextPoll = undefined;
  }

  return {
    /** Keeps a confirmed event; `size`: about its bytes. */
    remember(event: Event, size: number): void {
      const bytes = size + overheadBytes;
      if (bytes > recentBytesMax || recent.has(event.id)) return;
      recent.set(event.id, { event, bytes });
      recentBytes += bytes;
      // A Map iterates in insertion order: the oldest first.
      for (const [id, oldest] of recent) {
        if (recentBytes <= recentBytesMax) break;
        recent.delete(id);
        recentBytes -= oldest.bytes;
      }
    },

    /** Undefined: there is no such event. Rejects with NOT_YET, READS_FULL, or the error of the database. */
    async find<T>(lookup: Lookup<T>, id: string, acceptedAtMs: number): Promise<T | undefined> {
      const own = recent.get(id);
      if (own !== undefined) return found("memory", lookup.ofEvent(own.event));
      const key = [bytesOfEventId(id)] as const;
      // By either clock: setting the first one does not change the second. The clock of another gateway may be ahead.
      const clocks = [Date.now(), performance.timeOrigin + performance.now()];
      const isYoung = acceptedAtMs > Math.min(...clocks) - youngMs && acceptedAtMs < Math.max(...clocks) + aheadMsMax;
      const row = await read(lookup, key).catch((error: unknown) => {
        // Read endpoint down: the write endpoint has recent events. Overloaded: fails, because load must not shift.
        if (!isYoung || (error instanceof ClientError && error.code === "READS_FULL")) throw error;
        return undefined;
      });
      if (row !== undefined) return found("read", row);
      const written = await write(lookup, key);
      if (written !== undefined) return found("write", written);
      return isYoung ? found("waited", await wait(lookup, key)) : found("none", undefined);
    },
  };
}
