import type { ServerResponse } from "node:http";
import { rejection, type Rejection } from "../errors/catalogue.ts";
import { AddressBudget } from "../http/connection/address-limits.ts";
import type { Feed, FeedViewer } from "./feeds.ts";

export interface StreamsOptions {
  readonly max: number;
  readonly perAddressMax: number;
  /** Called for a stream that is ended because its client reads too slowly. */
  readonly onSlow: () => void;
}

/** An open stream. `phase`: the second in which it gets its beats, 0 to 4, so that not all streams get them in one. */
interface Open {
  readonly stream: Stream;
  readonly isAllowed: () => boolean;
  readonly phase: number;
}

const beatEverySeconds = 5;

/** All open streams of a gateway: their limits, their beats and their end. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #open = new Set<Open>();
  readonly #budget: AddressBudget;
  #timer: NodeJS.Timeout | undefined;
  #second = 0;
  #opened = 0;
  #closed = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#budget = new AddressBudget(Infinity, options.perAddressMax);
  }

  /** Takes a place for a stream, or returns why there is none. `hasRoom`: for its responses. */
  take(address: string, hasRoom: boolean): Rejection | undefined {
    const { max, perAddressMax } = this.#options;
    if (this.#open.size >= max || !hasRoom) return rejection("STREAMS_FULL");
    return this.#budget.take(address, 1) ? undefined : rejection("STREAMS_OF_ADDRESS_FULL", { max: perAddressMax });
  }

  /** Keeps a stream that has a place open until the returned function is called, once. `isAllowed`: whether its key is
   * still valid. */
  add(stream: Stream, address: string, isAllowed: () => boolean): () => void {
    if (this.#closed) stream.end();
    const open = { stream, isAllowed, phase: this.#opened++ % beatEverySeconds };
    this.#open.add(open);
    this.#timer ??= setInterval(() => this.#tick(), 1000);
    return () => {
      this.#open.delete(open);
      this.#budget.release(address, 1);
      if (this.#open.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Ends all streams, and those that are opened later. */
  close(): void {
    this.#closed = true;
    for (const { stream } of this.#open) stream.end();
  }

  #tick(): void {
    this.#second = (this.#second + 1) % beatEverySeconds;
    const frame = beatFrame();
    for (const { stream, isAllowed, phase } of this.#open) {
      if (!isAllowed()) stream.end();
      else if (phase === this.#second && !stream.beat(frame)) this.#options.onSlow();
    }
  }
}

/** Says that the connection works, and the time. */
export function beatFrame(): Buffer {
  return Buffer.from(`event: beat\ndata: {"at":"${new Date().toISOString()}"}\n\n`);
}

/*
 * The life of a stream:
 *
 *   open      each new response of its feeds, and every beat, is written at once
 *   slow      the client reads more slowly than we write. Nothing more is written; for each feed the newest response is
 *             remembered. When the client has read what was written → open, with these responses
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
    this.#indexes.set(feed, [...(this.#indexes.get(feed) ?? []), index]);
    this.#write(feed.frame(index));
  }

  changed(feed: Feed): void {
    if (this.#slowSinceMs !== undefined) this.#owed.add(feed);
    else this.#send(feed);
  }

  /** Writes a beat, unless the client is slow. Returns false, and ends the stream, when it has been slow for 10 s. */
  beat(frame: Buffer): boolean {
    if (this.#ended || this.#slowSinceMs === undefined) this.#write(frame);
    else if (performance.now() - this.#slowSinceMs > slowMsMax) {
      this.end();
      return false;
    }
    return true;
  }

  /** Ends it after what is written; at once when the client is slow. */
  end(): void {
    this.#ended = true;
    if (this.#slowSinceMs === undefined) return void this.#response.end();
    this.#response.destroy();
    // A response that waits for an earlier one of its connection has no socket to destroy.
    this.#response.req.socket.destroy();
  }

  #send(feed: Feed): void {
    for (const index of this.#indexes.get(feed) ?? []) this.#write(feed.frame(index));
  }

  #write(frame: Buffer | undefined): void {
    // A new response may arrive between the end and the close of the connection.
    if (frame === undefined || this.#ended || this.#response.destroyed) return;
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
