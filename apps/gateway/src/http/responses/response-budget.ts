import type { FastifyReply } from "fastify";
import { ByteBudget } from "../body/byte-budget.ts";
import { clientOf } from "../connection/client-address.ts";

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
 * Bounds the memory of large responses: each holds its length until its client has all of it or disconnects. Returns a function that returns
 * whether there is room for one more.
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
