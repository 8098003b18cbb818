import { Feed, type Answer, type FeedViewer } from "./feed.ts";

/*
 * One feed for each path that somebody watches. Its answer is asked for at once, then every 500 ms, or every second when it is made from
 * rows, however many watch it. Three rules bound the cost, whatever is watched:
 *
 *   in all        at most 200 answers a second. With more than 100 feeds, each is asked for less often
 *   one feed      an answer that took d ms is asked for again 10 d ms later, at most 5 s later: a tenth of a connection to the database
 *   never twice   a feed waits for its answer before it asks again
 */

const everyMs = 500;
const everyMsOfRows = 1000;
const tickMs = 25;
const answersPerTick = 5;
const restFactor = 10;
const restMsMax = 5000;

/** How a feed gets its answers. `ask` never rejects. */
export interface FeedSource {
  readonly ask: () => Promise<Answer>;
  /** Repeats it this often however long it takes, because it waits more than it works. */
  readonly everyMs?: number | undefined;
}

interface Running {
  readonly feed: Feed;
  readonly source: FeedSource;
  dueAtMs: number;
  isAsking: boolean;
}

export class Feeds {
  /** In the order in which they were asked last. */
  readonly #feeds = new Map<string, Running>();
  #timer: NodeJS.Timeout | undefined;

  /** Watched paths. */
  get size(): number {
    return this.#feeds.size;
  }

  /** Adds a viewer to the feed of a path; `sourceOf` is called for a path that nobody watches. */
  join(path: string, viewer: FeedViewer, sourceOf: () => FeedSource): Feed {
    let running = this.#feeds.get(path);
    if (running === undefined) {
      running = { feed: new Feed(), source: sourceOf(), dueAtMs: 0, isAsking: false };
      this.#feeds.set(path, running);
      this.#timer ??= setInterval(() => this.#tick(), tickMs);
      void this.#ask(running);
    }
    running.feed.viewers.add(viewer);
    return running.feed;
  }

  /** Removes a viewer. A feed without viewers ends. */
  leave(path: string, viewer: FeedViewer): void {
    const running = this.#feeds.get(path);
    running?.feed.viewers.delete(viewer);
    if (running?.feed.viewers.size === 0) this.#feeds.delete(path);
    if (this.#feeds.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const now = performance.now();
    let left = answersPerTick;
    for (const [path, running] of this.#feeds) {
      if (running.isAsking || running.dueAtMs > now) continue;
      if (left-- === 0) return;
      // To the end: the others are next. The iteration meets it again, and passes over it because it is asking.
      this.#feeds.delete(path);
      this.#feeds.set(path, running);
      void this.#ask(running);
    }
  }

  async #ask(running: Running): Promise<void> {
    const { feed, source } = running;
    running.isAsking = true;
    const begun = performance.now();
    const answer = await source.ask();
    const tookMs = performance.now() - begun;
    const usualMs = answer.isOfRows === true ? everyMsOfRows : everyMs;
    const restMs = Math.min(tookMs * restFactor, restMsMax);
    running.dueAtMs = begun + Math.max(source.everyMs ?? Math.max(usualMs, restMs), tookMs);
    running.isAsking = false;
    feed.update(answer);
  }
}
