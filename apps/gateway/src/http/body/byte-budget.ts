import type { FastifyReply } from "fastify";
import { clientOf } from "../connection/client-address.ts";

/** Limits the memory that all clients hold together, and the share of it that one address holds. */
export class ByteBudget {
  readonly #max: number;
  readonly #perAddressMax: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(max: number, addressShare: number) {
    this.#max = max;
    this.#perAddressMax = max * addressShare;
  }

  /** Takes bytes. Returns false, and takes none, when they would exceed the budget or the limit of the address. */
  take(address: string, bytes: number): boolean {
    const held = (this.#held.get(address) ?? 0) + bytes;
    if (this.#total + bytes > this.#max || held > this.#perAddressMax) return false;
    this.#total += bytes;
    this.#held.set(address, held);
    return true;
  }

  /** Gives back bytes that were taken. */
  release(address: string, bytes: number): void {
    const held = (this.#held.get(address) ?? 0) - bytes;
    this.#total -= bytes;
    if (held === 0) this.#held.delete(address);
    else this.#held.set(address, held);
  }
}

// A client that reads nothing for 30 s is treated as disconnected.
const stalledMs = 30_000;

export interface ResponseLimits {
  readonly bytesMax: number;
  /** What one client address may hold of it, so that a slow reader leaves room for other clients. */
  readonly addressShare: number;
  /** How long a client may read nothing before its connection is closed. */
  readonly stalledAfterMs?: number;
}

/**
 * Bounds the memory of large responses: each holds its length until its client has all of it or disconnects. Returns a
 * function that returns whether there is room for one more.
 */
export function responseBudget({
  bytesMax,
  addressShare,
  stalledAfterMs = stalledMs,
}: ResponseLimits): (reply: FastifyReply, bytes: number) => boolean {
  const budget = new ByteBudget(bytesMax, addressShare);
  return ({ raw, request }, bytes) => {
    // The client disconnected meanwhile: nothing will be sent.
    if (raw.destroyed) return true;
    const client = clientOf(request.ip);
    if (!budget.take(client, bytes)) return false;
    raw.once("close", () => budget.release(client, bytes));
    // Restarts whenever the client reads. Node resets it when the response is sent.
    raw.setTimeout(stalledAfterMs);
    return true;
  };
}
