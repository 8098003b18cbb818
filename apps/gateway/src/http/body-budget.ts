import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { refuse } from "./refuse.ts";

/**
 * Bounds the memory of large bodies: each takes its length, or the most that it may have, from when its head was read until it is
 * answered or its client has gone. What is over is told to come again, before its body is read.
 */
export function bodyBudget(bytesMax: number): (bodyBytesMax: number) => onRequestAsyncHookHandler {
  let inHand = 0;
  return (bodyBytesMax) => async (request: FastifyRequest, reply: FastifyReply) => {
    const announced = Number(request.headers["content-length"] ?? bodyBytesMax);
    // A longer one is refused by its length before it is read.
    const bytes = announced > bodyBytesMax ? 0 : announced;
    if (inHand + bytes > bytesMax) {
      const message = "not taken: too many large bodies are under way; send it again later";
      return refuse(reply, { status: 503, message, retryAfterSeconds: 1 });
    }
    inHand += bytes;
    reply.raw.once("close", () => (inHand -= bytes));
  };
}
