import type { ServerResponse } from "node:http";
import type { Feed, FeedViewer } from "./feed.ts";

/*
 * The life of a stream:
 *
 *   open      each new response of its feeds, and every beat, is written at once
 *   slow      the client reads more slowly than we write. Nothing more is written; for each feed the newest response is remembered. When the client
 *             has read what was written → open, with these responses
 *   ended     by the client, by the end of the gateway, by a key that is no longer valid, or after 10 s of slow
 *
 * So a stream buffers at most what the socket takes and one response of each feed.
 */

const slowMsMax = 10_000;

export class Stream implements FeedViewer {
  readonly #response: ServerResponse;
  readonly #indexes = new Map<Feed, number[]>();
  /** Feeds whose newest response is not written. */
  readonly #owed = new Set<Feed>();
  #slowSinceMs: number | undefined;
  #ended = false;

  /** `response`: its head is written. */
  constructor(response: ServerResponse) {
    this.#response = response;
    response.on("drain", () => this.#continue());
    // "close" follows, and the route listens for it.
    response.on("error", () => (this.#ended = true));
  }

  /** Shows the responses of a feed as the watch with this index, the newest one at once. */
  show(feed: Feed, index: number): void {
    const indexes = this.#indexes.get(feed);
    if (indexes === undefined) this.#indexes.set(feed, [index]);
    else indexes.push(index);
    const frame = feed.frame(index);
    if (frame !== undefined) this.#write(frame);
  }

  changed(feed: Feed): void {
    if (this.#slowSinceMs !== undefined) this.#owed.add(feed);
    else this.#send(feed);
  }

  /** Writes a beat, unless the client is slow. Returns false, and ends the stream, when it has been slow for 10 s. */
  beat(frame: Buffer): boolean {
    if (this.#ended || this.#slowSinceMs === undefined) this.#write(frame);
    else if (performance.now() - this.#slowSinceMs > slowMsMax) {
      this.#ended = true;
      this.#destroy();
      return false;
    }
    return true;
  }

  /** Ends it after what is written; at once when the client is slow. */
  end(): void {
    this.#ended = true;
    if (this.#slowSinceMs === undefined) this.#response.end();
    else this.#destroy();
  }

  // A response that waits for an earlier one of its connection has no socket to destroy.
  #destroy(): void {
    this.#response.destroy();
    this.#response.req.socket.destroy();
  }

  #send(feed: Feed): void {
    for (const index of this.#indexes.get(feed) ?? []) {
      const frame = feed.frame(index);
      if (frame !== undefined) this.#write(frame);
    }
  }

  #write(frame: Buffer): void {
    // A new response may arrive between the end and the close of the connection.
    if (this.#ended || this.#response.destroyed) return;
    if (!this.#response.write(frame)) this.#slowSinceMs ??= performance.now();
  }

  #continue(): void {
    this.#slowSinceMs = undefined;
    for (const feed of this.#owed) {
      this.#owed.delete(feed);
      this.#send(feed);
      if (this.#slowSinceMs !== undefined) return;
    }
  }
}
