import type { paths } from "../generated/openapi.ts";
import type { JournalEntry } from "../journal/journal.ts";
import { TallyClientError } from "../tally-client-error.ts";

type BulkBody = paths["/purchases"]["post"]["requestBody"]["content"]["application/json"];

/** One entry of `POST /purchases`. Without `idempotencyKey` the sender gives it a random one. */
export type Purchase = BulkBody[number];

/** What became of a purchase. */
export type Settlement =
  /** Durable at the message broker; `id` is its event id. */
  | { readonly outcome: "accepted"; readonly id: string }
  /** The gateway will never accept it as it is. `error` names the field. */
  | { readonly outcome: "rejected"; readonly status: number; readonly error: string }
  /** The sender was closed first. With a journal the next process sends it; it may have been accepted already. */
  | { readonly outcome: "unsettled" };

export interface AddedPurchase {
  readonly idempotencyKey: string;
  /** Never rejects. */
  readonly settled: Promise<Settlement>;
}

export interface RejectedPurchase {
  readonly purchase: Purchase;
  readonly status: number;
  readonly error: string;
}

/** A purchase in the sender's buffer. `number`: in the journal; 0 without one. */
export interface WaitingPurchase extends JournalEntry {
  /** The length of `text` in UTF-8. */
  readonly bytes: number;
  readonly settle: (settlement: Settlement) => void;
}

/** The purchase of a text that `add()` has made, perhaps in an earlier process. */
export function purchaseOf({ text }: Pick<WaitingPurchase, "text">): Purchase {
  // The gateway has the last word on its content.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(text) as Purchase;
}

/** The largest number of events, and of bytes of JSON. */
type Bounds = Readonly<Record<"eventsMax" | "bytesMax", number>>;

/** Waiting purchases, oldest first. A place is reserved before the journal is written, so the bounds always hold. */
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

  get purchases(): readonly WaitingPurchase[] {
    return this.#purchases;
  }

  reserve(bytes: number): void {
    const { eventsMax, bytesMax } = this.#bounds;
    if (this.#events >= eventsMax) throw new TallyClientError("BUFFER_FULL", `it holds ${eventsMax} events`);
    const size = `it holds ${this.#bytes} of ${bytesMax} bytes, the purchase has ${bytes}`;
    if (this.#bytes + bytes > bytesMax) throw new TallyClientError("BUFFER_FULL", size);
    this.#events++;
    this.#bytes += bytes;
  }

  release(bytes: number): void {
    this.#events--;
    this.#bytes -= bytes;
  }

  /** Takes the place that was reserved for it. */
  push(purchase: WaitingPurchase): void {
    this.#purchases.push(purchase);
  }

  /** Removes the `count` oldest, except those in `kept`, which stay the oldest. */
  remove(count: number, kept: readonly WaitingPurchase[]): void {
    const head = this.#purchases.slice(0, count);
    this.#purchases = [...kept, ...this.#purchases.slice(count)];
    this.#events -= head.length - kept.length;
    const bytesOfAll = (purchases: readonly WaitingPurchase[]) => purchases.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#bytes -= bytesOfAll(head) - bytesOfAll(kept);
  }

  drain(): readonly WaitingPurchase[] {
    return this.#purchases.splice(0);
  }
}
