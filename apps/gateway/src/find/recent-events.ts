import type { Event } from "@tally/pipeline";

// What a Map, an entry and an object take beside what they hold.
const overheadBytes = 400;

/** The newest of the events that this gateway had confirmed, as many as fit into `bytesMax`. */
export class RecentEvents {
  readonly #bytesMax: number;
  readonly #events = new Map<string, { readonly event: Event; readonly bytes: number }>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** `size`: about how many bytes it holds. */
  add(event: Event, size: number): void {
    const bytes = size + overheadBytes;
    if (bytes > this.#bytesMax || this.#events.has(event.id)) return;
    this.#events.set(event.id, { event, bytes });
    this.#bytes += bytes;
    // A Map is walked in the order in which it was filled: the oldest first.
    for (const [id, oldest] of this.#events) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#events.delete(id);
      this.#bytes -= oldest.bytes;
    }
  }

  get(id: string): Event | undefined {
    return this.#events.get(id)?.event;
  }
}
