/** A response of a watched GET. */
export interface Answer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  /** It was read from rows of the database, which costs several times as much as a board. */
  readonly isOfRows?: boolean;
}

/** Gets each new answer of a feed. */
export interface FeedViewer {
  changed(feed: Feed): void;
}

/** The newest answer of one path, for all who watch it. */
export class Feed {
  readonly viewers = new Set<FeedViewer>();
  readonly #frames: Buffer[] = [];
  #latest: (Answer & { readonly at: string }) | undefined;

  /** Takes an answer over if it differs from the newest, and tells the viewers. */
  update(answer: Answer): void {
    if (answer.body === this.#latest?.body && answer.status === this.#latest.status) return;
    const { status, body } = answer;
    this.#latest = { status, body, at: new Date().toISOString() };
    this.#frames.length = 0;
    for (const viewer of this.viewers) viewer.changed(this);
  }

  /** The newest answer as an event of the watch with this index; undefined before the first. Made once for all viewers with this index. */
  frame(index: number): Buffer | undefined {
    if (this.#latest === undefined) return undefined;
    const { status, body, at } = this.#latest;
    // JSON has no line breaks, which would end a field of the event.
    return (this.#frames[index] ??= Buffer.from(
      `event: data\ndata: {"watch":${index},"status":${status},"body":${body},"at":"${at}"}\n\n`,
    ));
  }
}
