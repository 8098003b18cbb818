import { TallyClientError } from "../tally-client-error.ts";
import type { WaitingPurchase } from "./purchase.ts";

/** The largest number of events, and of bytes of JSON. */
export interface Bounds {
  readonly eventsMax: number;
  readonly bytesMax: number;
}

/**
 * Purchases that wait, oldest first. A place is reserved before the purchase is written to the journal, so the bounds
 * hold at all times.
 */
export class PurchaseQueue {
  readonly #bounds: Bounds;
  #purchases: WaitingPurchase[];
  #events: number;
  #bytes: number;

  /** `left` are there from the start, even if they exceed the bounds. */
  constructor(bounds: Bounds, left: readonly WaitingPurchase[]) {
    this.#bounds = bounds;
    this.#purchases = [...left];
    this.#events = left.length;
    this.#bytes = left.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Purchases and reserved places. */
  get events(): number {
    return this.#events;
  }

  /** How many can be sent now. */
  get length(): number {
    return this.#purchases.length;
  }

  /** Throws BUFFER_FULL. */
  reserve(bytes: number): void {
    const { eventsMax, bytesMax } = this.#bounds;
    if (this.#events >= eventsMax) throw new TallyClientError("BUFFER_FULL", `it holds ${eventsMax} events`);
    if (this.#bytes + bytes > bytesMax) {
      throw new TallyClientError(
        "BUFFER_FULL",
        `it holds ${this.#bytes} of ${bytesMax} bytes, the purchase has ${bytes}`,
      );
    }
    this.#events++;
    this.#bytes += bytes;
  }

  /** Gives a reserved place back. */
  release(bytes: number): void {
    this.#events--;
    this.#bytes -= bytes;
  }

  /** Takes the place that was reserved for it. */
  push(purchase: WaitingPurchase): void {
    this.#purchases.push(purchase);
  }

  /** The oldest ones that fit together: at least one, unless it is empty. */
  head({ eventsMax, bytesMax }: Bounds): readonly WaitingPurchase[] {
    let count = 0;
    let bytes = 0;
    for (const purchase of this.#purchases) {
      // One more for the line break.
      bytes += purchase.bytes + 1;
      if (count === eventsMax || (bytes > bytesMax && count > 0)) break;
      count++;
    }
    return this.#purchases.slice(0, count);
  }

  /** Removes the `count` oldest, except those in `kept`, which stay the oldest. */
  remove(count: number, kept: readonly WaitingPurchase[]): void {
    const head = this.#purchases.slice(0, count);
    this.#purchases = [...kept, ...this.#purchases.slice(count)];
    this.#events -= head.length - kept.length;
    const bytesOfAll = (purchases: readonly WaitingPurchase[]) => purchases.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#bytes -= bytesOfAll(head) - bytesOfAll(kept);
  }

  /** Removes and returns all. */
  drain(): readonly WaitingPurchase[] {
    return this.#purchases.splice(0);
  }
}
