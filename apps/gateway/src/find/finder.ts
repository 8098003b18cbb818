import { bytesOfEventId, type Event, type Lookup, type SqlReader } from "@tally/pipeline";
import { refusal } from "../errors/catalogue.ts";
import { ClientError } from "../errors/client-error.ts";
import type { GroupReads } from "../read/group-reads.ts";
import { RecentEvents } from "./recent-events.ts";
import { RowWait, rowsOfEvents, type RowsOfEvents } from "./row-wait.ts";

/*
 * Where an accepted event is found, although its row may not be stored yet, or may not have reached the read endpoint:
 *
 *   memory  in this gateway, which published it a moment ago
 *   read    on the read endpoint: nearly always
 *   write   on the write endpoint, because the replica is behind
 *   waited  in the broker at first. Its client has its id from a 2xx, so its row will arrive
 *   late    not in time, or too many lookups wait: 503 and not 404, because its row will arrive
 *   none    nowhere, and its id is old: there is no such event
 *
 * An id contains its time, so lookups of old ids do not wait. A client can invent a young id; it waits in vain, and the number of
 * waiting lookups is bounded.
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

// How long writers may be behind. An older event that is on neither endpoint is 404.
const youngMs = 3_600_000;
// The largest difference between the clocks of gateways.
const clockSkewMs = 60_000;

/** Finds accepted events of one domain. */
export class Finder {
  readonly #options: FinderOptions;
  readonly #recent: RecentEvents;
  /** Lookup<T> → Places<T> */
  readonly #places = new Map<object, unknown>();
  #waiters = 0;

  constructor(options: FinderOptions) {
    this.#options = options;
    this.#recent = new RecentEvents(options.recentBytesMax);
  }

  /** Keeps a confirmed event; `size`: about its bytes. */
  remember(event: Event, size: number): void {
    this.#recent.add(event, size);
  }

  /** Resolves with undefined when there is no such event. Rejects with NOT_YET, READS_FULL, or the error of the database. */
  async find<T>(lookup: Lookup<T>, id: string, acceptedAtMs: number): Promise<T | undefined> {
    const own = this.#recent.get(id);
    if (own !== undefined) return this.#found("memory", lookup.ofEvent(own));
    const { rows, wait } = this.#placesOf(lookup);
    const key = [bytesOfEventId(id)] as const;
    const now = Date.now();
    const isYoung = acceptedAtMs > now - youngMs && acceptedAtMs < now + clockSkewMs;
    const read = await this.#options.read.read(rows, key).catch((error: unknown) => {
      // Replica down: read recent events from the primary. Replica overloaded: fail, do not shift the load.
      if (!isYoung || (error instanceof ClientError && error.code === "READS_FULL")) throw error;
      return undefined;
    });
    if (read !== undefined) return this.#found("read", read);
    const written = await this.#options.write.read(rows, key);
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
    throw new ClientError(refusal("NOT_YET"));
  }

  #found<T>(where: Found, found: T): T {
    this.#options.onFind(where);
    return found;
  }

  #placesOf<T>(lookup: Lookup<T>): Places<T> {
    // The places under a lookup were made from it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const known = this.#places.get(lookup) as Places<T> | undefined;
    if (known !== undefined) return known;
    const rows = rowsOfEvents(lookup);
    const places: Places<T> = { rows, wait: new RowWait(this.#options.writer, rows, this.#options.waitMs) };
    this.#places.set(lookup, places);
    return places;
  }
}

interface Places<T> {
  readonly rows: RowsOfEvents<T>;
  readonly wait: RowWait<T>;
}
