import { bytesOfEventId, type Event, type Lookup, type SqlReader } from "@tally/pipeline";
import { ReadsFull } from "../read/group-read.ts";
import type { GroupReads } from "../read/group-reads.ts";
import { RecentEvents } from "./recent-events.ts";
import { RowWait } from "./row-wait.ts";
import { rowsOfEvents, type RowsOfEvents } from "./rows-of-events.ts";

/*
 * Where an event that was accepted is found, though its row may not be written yet, or not be where reads go:
 *
 *   memory  this gateway had it confirmed a moment ago
 *   read    the read endpoint has its row: nearly always
 *   write   the replica is behind
 *   waited  it is in the broker. Whoever was given its id was answered 2xx, so it will come
 *   late    it has not come in time, or too many wait: 503, and not 404, because it will come
 *   none    it is old, and nowhere: there is no such event
 *
 * An id tells its own age, so nobody waits for an old one. One that was made up can be made young: it costs a place among the waiters for
 * a while, and those are bounded.
 */

export type Found = "memory" | "read" | "write" | "waited" | "late" | "none";

export interface FinderOptions {
  readonly read: GroupReads;
  readonly write: GroupReads;
  /** The write endpoint, for what is waited for. */
  readonly writer: SqlReader;
  readonly recentBytesMax: number;
  readonly waitMs: number;
  readonly waitersMax: number;
  readonly onFind: (where: Found) => void;
}

/** Accepted, and not to be seen yet. */
class NotYet extends Error {
  readonly code = "NOT_YET";
}

// As long as writers may be behind; after that it is 404 for what is in neither endpoint.
const youngMs = 3_600_000;
// Gateways' clocks may differ by so much.
const clockSkewMs = 60_000;

/** Finds what the events of one domain have brought. */
export class Finder {
  readonly #o: FinderOptions;
  readonly #recent: RecentEvents;
  /** Lookup<T> → Ways<T> */
  readonly #ways = new Map<object, unknown>();
  #waiters = 0;

  constructor(options: FinderOptions) {
    this.#o = options;
    this.#recent = new RecentEvents(options.recentBytesMax);
  }

  /** Keeps an event that was confirmed; `size`: about how many bytes it holds. */
  remember(event: Event, size: number): void {
    this.#recent.add(event, size);
  }

  /** undefined: there is no such event. Throws NotYet, and what the database refuses. */
  async find<T>(lookup: Lookup<T>, id: string, acceptedAtMs: number): Promise<T | undefined> {
    const own = this.#recent.get(id);
    if (own !== undefined) return this.#found("memory", lookup.ofEvent(own));
    const { rows, wait } = this.#waysOf(lookup);
    const key = [bytesOfEventId(id)] as const;
    const now = Date.now();
    const isYoung = acceptedAtMs > now - youngMs && acceptedAtMs < now + clockSkewMs;
    const read = await this.#o.read.read(rows, key).catch((error: unknown) => {
      // A replica that is away loses nobody his own writes. One that has too much to do sends nobody to the primary.
      if (!isYoung || error instanceof ReadsFull) throw error;
      return undefined;
    });
    if (read !== undefined) return this.#found("read", read);
    const written = await this.#o.write.read(rows, key);
    if (written !== undefined) return this.#found("write", written);
    if (!isYoung) return this.#found("none", undefined);
    return this.#found("waited", await this.#wait(wait, id));
  }

  async #wait<T>(wait: RowWait<T>, id: string): Promise<T> {
    if (this.#waiters < this.#o.waitersMax) {
      this.#waiters++;
      const found = await wait.wait(id);
      this.#waiters--;
      if (found !== undefined) return found;
    }
    this.#o.onFind("late");
    throw new NotYet("not to be seen yet: it was accepted a moment ago; ask again later");
  }

  #found<T>(where: Found, found: T): T {
    this.#o.onFind(where);
    return found;
  }

  #waysOf<T>(lookup: Lookup<T>): Ways<T> {
    // What is kept under a lookup was made of it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const known = this.#ways.get(lookup) as Ways<T> | undefined;
    if (known !== undefined) return known;
    const rows = rowsOfEvents(lookup);
    const ways: Ways<T> = { rows, wait: new RowWait(this.#o.writer, rows, this.#o.waitMs) };
    this.#ways.set(lookup, ways);
    return ways;
  }
}

interface Ways<T> {
  readonly rows: RowsOfEvents<T>;
  readonly wait: RowWait<T>;
}
