/** A response of a watched GET. */
export interface WatchedResponse {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  /** It was read from rows of the database, which costs several times as much as a board. */
  readonly isOfRows?: boolean;
}

/** Gets each new response of a feed. */
export interface FeedViewer {
  changed(feed: Feed): void;
}

/** The newest response of one path, shared by all its viewers. */
export class Feed {
  readonly viewers = new Set<FeedViewer>();
  readonly #frames: Buffer[] = [];
  #latest: (WatchedResponse & { readonly at: string }) | undefined;

  /** The memory of the newest response and its frame, in bytes. Before the first response: what most need at most. */
  get bytes(): number {
    return this.#latest === undefined ? 65_536 : 2 * this.#latest.body.length;
  }

  /** Keeps a response that differs from the newest, and notifies the viewers. */
  update(response: WatchedResponse): void {
    if (response.body === this.#latest?.body && response.status === this.#latest.status) return;
    const { status, body } = response;
    this.#latest = { status, body, at: new Date().toISOString() };
    this.#frames.length = 0;
    for (const viewer of this.viewers) viewer.changed(this);
  }

  /** The newest response as an event of the watch with this index; undefined before the first. Made once for all viewers with this index. */
  frame(index: number): Buffer | undefined {
    if (this.#latest === undefined) return undefined;
    const { status, body, at } = this.#latest;
    // JSON has no line breaks, which would end a field of the event.
    return (this.#frames[index] ??= Buffer.from(
      `event: data\ndata: {"watch":${index},"status":${status},"body":${body},"at":"${at}"}\n\n`,
    ));
  }
}
