import { rejection, type Rejection } from "../errors/catalogue.ts";
import type { Stream } from "./stream.ts";

export interface StreamsOptions {
  readonly max: number;
  readonly perAddressMax: number;
  /** Called for a stream that is ended because its client reads too slowly. */
  readonly onSlow: () => void;
}

interface Open {
  readonly stream: Stream;
  /** Whether its key is still valid. */
  readonly isAllowed: () => boolean;
  /** The second in which it gets its beats, 0 to 4: not all streams in one. */
  readonly phase: number;
}

const beatEverySeconds = 5;

/** All open streams of a gateway: their limits, their beats and their end. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #open = new Set<Open>();
  readonly #perAddress = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #second = 0;
  #opened = 0;
  #closed = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Why a client cannot open another stream; undefined: it can. `address`: what counts as one client. `hasRoom`: for its responses. */
  full(address: string, hasRoom: boolean): Rejection | undefined {
    const { max, perAddressMax } = this.#options;
    if (this.#open.size >= max || !hasRoom) return rejection("STREAMS_FULL");
    if ((this.#perAddress.get(address) ?? 0) >= perAddressMax)
      return rejection("STREAMS_OF_ADDRESS_FULL", { max: perAddressMax });
    return undefined;
  }

  /** Counts an open stream until the returned function is called, once, when its connection closes. */
  add(stream: Stream, address: string, isAllowed: () => boolean): () => void {
    if (this.#closed) stream.end();
    const open = { stream, isAllowed, phase: this.#opened++ % beatEverySeconds };
    this.#open.add(open);
    this.#perAddress.set(address, (this.#perAddress.get(address) ?? 0) + 1);
    this.#timer ??= setInterval(() => this.#tick(), 1000);
    return () => {
      this.#open.delete(open);
      const left = (this.#perAddress.get(address) ?? 0) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
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
