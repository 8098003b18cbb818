import type { FastifyReply } from "fastify";

// A client that takes nothing for so long has gone, or wishes it had.
const stalledMs = 30_000;

/**
 * Bounds the memory of large answers: each takes its length until its client has all of it or has gone, and a client that stalls is left.
 * Answers whether there is room for one more.
 */
export function answerBudget(
  bytesMax: number,
  leftAfterMs = stalledMs,
): (reply: FastifyReply, bytes: number) => boolean {
  let inHand = 0;
  return ({ raw }, bytes) => {
    // Its client went while the answer was looked for: nothing will be sent.
    if (raw.destroyed) return true;
    if (inHand + bytes > bytesMax) return false;
    inHand += bytes;
    raw.once("close", () => (inHand -= bytes));
    // Begins anew whenever the client takes something; Node takes it back when the answer is out.
    raw.setTimeout(leftAfterMs);
    return true;
  };
}
