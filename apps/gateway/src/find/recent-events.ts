import type { Event } from "@tally/pipeline";

// Of a Map entry and its objects, besides the event.
const overheadBytes = 400;

/** The newest confirmed events of this gateway, up to `bytesMax`. */
export class RecentEvents {
  readonly #bytesMax: number;
  readonly #events = new Map<string, { readonly event: Event; readonly bytes: number }>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** `size`: about the bytes of the event. */
  add(event: Event, size: number): void {
    const bytes = size + overheadBytes;
    if (bytes > this.#bytesMax || this.#events.has(event.id)) return;
    this.#events.set(event.id, { event, bytes });
    this.#bytes += bytes;
    // A Map iterates in insertion order: the oldest first.
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
