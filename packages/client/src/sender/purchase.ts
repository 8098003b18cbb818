import type { paths } from "../generated/openapi.ts";

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

/** A purchase in the sender's buffer. */
export interface WaitingPurchase {
  /** In the journal; 0 without one. */
  readonly number: number;
  /** JSON in one line. */
  readonly text: string;
  /** Of `text` as UTF-8. */
  readonly bytes: number;
  readonly settle: (settlement: Settlement) => void;
}

const encoder = new TextEncoder();

export const bytesOf = (text: string): number => encoder.encode(text).length;

/** The purchase of a text that `add()` has made, perhaps in an earlier process. */
export function purchaseOf({ text }: Pick<WaitingPurchase, "text">): Purchase {
  // The gateway has the last word on its content.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(text) as Purchase;
}
