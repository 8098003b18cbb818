import type { FastifyReply } from "fastify";
import { ByteBudget } from "../body/byte-budget.ts";
import { clientOf } from "../connection/client-address.ts";

// A client that takes nothing for so long has gone, or wishes it had.
const stalledMs = 30_000;

export interface AnswerLimits {
  readonly bytesMax: number;
  /** The limit for one client address, so that a slow reader leaves room for other clients. */
  readonly perAddressMax: number;
  readonly leftAfterMs?: number;
}

/**
 * Bounds the memory of large answers: each takes its length until its client has all of it or has gone, and a client that stalls is left.
 * Answers whether there is room for one more.
 */
export function answerBudget({
  bytesMax,
  perAddressMax,
  leftAfterMs = stalledMs,
}: AnswerLimits): (reply: FastifyReply, bytes: number) => boolean {
  const budget = new ByteBudget(bytesMax, perAddressMax);
  return ({ raw, request }, bytes) => {
    // Its client went while the answer was looked for: nothing will be sent.
    if (raw.destroyed) return true;
    const client = clientOf(request.ip);
    if (!budget.take(client, bytes)) return false;
    raw.once("close", () => budget.release(client, bytes));
    // Begins anew whenever the client takes something; Node takes it back when the answer is out.
    raw.setTimeout(leftAfterMs);
    return true;
  };
}
