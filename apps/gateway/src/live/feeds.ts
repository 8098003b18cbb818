/*
 * One feed for each watched path. It is read at once, then every 800 ms, for any number of viewers: a change is seen
 * within a second. Five rules bound the cost, whatever is watched:
 *
 *   in all        at most 200 reads a second. With more than 160 feeds, each is read less often
 *   together      feeds are read in the same turn: one write to Redis, one to each viewer
 *   one feed      a read that took d ms is repeated 10 d ms later, at most 5 s. The limit does not apply when the last
 *                 two reads took more than 1 s each
 *   memory        no new stream, and no first response of a feed, while the kept responses have 64 MiB
 *   never twice   a feed waits for its response before the next read
 */

const everyMs = 800;
const tickMs = 100;
const readsPerTick = 20;
// A timer is not exact; a read that is nearly due does not wait for another tick.
const slackMs = tickMs / 2;
const restFactor = 10;
const restMsMax = 5000;
const slowMs = 1000;
// For all responses that feeds keep. Clients choose the paths.
const bytesMax = 64 * 1024 * 1024;

/** How a feed gets its responses. `read` never rejects. */
export interface FeedSource {
  readonly read: () => Promise<WatchedResponse>;
  /** What it shows until there is room for its first response. */
  readonly full: WatchedResponse;
  /** Repeats it this often however long it takes, because it waits more than it works. */
  readonly everyMs?: number | undefined;
}

/** A response of a watched GET. `body`: JSON. */
export interface WatchedResponse {
  readonly status: number;
  readonly body: string;
}

/** Gets each new response of a feed. */
export interface FeedViewer {
  changed(feed: Feed): void;
}

interface Running {
  readonly feed: Feed;
  readonly source: FeedSource;
  dueAtMs: number;
  /** How long the last read took. */
  tookMs: number;
  isReading: boolean;
}

export class Feeds {
  /** In the order of their last reads. */
  readonly #feeds = new Map<string, Running>();
  #timer: NodeJS.Timeout | undefined;

  /** Whether the responses that are kept leave room for another one. */
  get hasRoom(): boolean {
    let bytes = 0;
    for (const { feed } of this.#feeds.values()) bytes += feed.bytes;
    return bytes < bytesMax;
  }

  /** Adds a viewer to the feed of a path; `sourceOf` is called for a path without viewers. */
  join(path: string, viewer: FeedViewer, sourceOf: () => FeedSource): Feed {
    let running = this.#feeds.get(path);
    if (running === undefined) {
      running = { feed: new Feed(), source: sourceOf(), dueAtMs: 0, tookMs: 0, isReading: false };
      this.#feeds.set(path, running);
      this.#timer ??= setInterval(() => this.#tick(), tickMs);
      void this.#read(running);
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
    let left = readsPerTick;
    for (const [path, running] of this.#feeds) {
      if (running.isReading || running.dueAtMs > now + slackMs) continue;
      if (left-- === 0) return;
      // To the end: the others are next. The iteration meets it again, and passes over it because it is reading.
      this.#feeds.delete(path);
      this.#feeds.set(path, running);
      void this.#read(running);
    }
  }

  async #read(running: Running): Promise<void> {
    running.isReading = true;
    const begun = performance.now();
    const response = await running.source.read();
    const tookMs = performance.now() - begun;
    // The next multiple of `everyMs`: all feeds are due together.
    const togetherAtMs = (Math.floor((begun + slackMs) / everyMs) + 1) * everyMs;
    // After a single slow read the limit applies.
    const steadyMs = Math.min(tookMs, running.tookMs);
    const longMs = steadyMs > slowMs ? steadyMs * restFactor : 0;
    const restMs = Math.max(Math.min(tookMs * restFactor, restMsMax), longMs);
    running.tookMs = tookMs;
    const { everyMs: ownMs } = running.source;
    running.dueAtMs =
      ownMs === undefined ? Math.max(togetherAtMs, begun + restMs) : begun + Math.max(ownMs, tookMs, longMs);
    running.isReading = false;
    running.feed.update(
      running.feed.hasBody || response.status !== 200 || this.hasRoom ? response : running.source.full,
    );
  }
}

/** The newest response of one path, shared by all its viewers. */
export class Feed {
  readonly viewers = new Set<FeedViewer>();
  readonly #frames = new Map<number, Buffer>();
  #latest: (WatchedResponse & { readonly at: string; readonly bytes: number }) | undefined;

  /** The memory of the newest response and its frames, in bytes. Before the first response: what most need at most. */
  get bytes(): number {
    return this.#latest === undefined ? 65_536 : (1 + Math.max(1, this.#frames.size)) * this.#latest.bytes;
  }

  get hasBody(): boolean {
    return this.#latest?.status === 200;
  }

  /** Keeps a response that differs from the newest, and notifies the viewers. */
  update({ status, body }: WatchedResponse): void {
    if (body === this.#latest?.body && status === this.#latest.status) return;
    // A text with one character beyond Latin-1 has two bytes for each.
    const bytes = body.length * (/[\u0100-\uffff]/.test(body) ? 2 : 1);
    this.#latest = { status, body, at: new Date().toISOString(), bytes };
    this.#frames.clear();
    for (const viewer of this.viewers) viewer.changed(this);
  }

  /** The newest response as an event of the watch with this index, made once for all; undefined before the first. */
  frame(index: number): Buffer | undefined {
    if (this.#latest === undefined) return undefined;
    const { status, body, at } = this.#latest;
    // JSON has no line breaks, which would end a field of the event.
    return this.#frames.getOrInsertComputed(index, () =>
      Buffer.from(`event: data\ndata: {"watch":${index},"status":${status},"body":${body},"at":"${at}"}\n\n`),
    );
  }
}
