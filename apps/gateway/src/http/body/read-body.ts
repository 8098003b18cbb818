import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { rejection } from "../../errors/catalogue.ts";
import { ClientError } from "../../errors/reject.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { clientOf } from "../connection/client-address.ts";

/** Smaller bodies are not counted, because the connection limits bound them. Nearly all bodies are smaller and arrive in one chunk. */
export const uncountedBytes = 16_384;
const none = Buffer.alloc(0);

export interface BodyLimits {
  readonly bytesMax: number;
  /** Raises what the request holds of the budget to this number of bytes; returns whether there was room. */
  readonly hold: (bytes: number) => boolean;
}

/**
 * Collects the body of a request. Above 16 KiB it takes memory from the budget as bytes arrive; an announced length alone takes nothing.
 * The callback gets BODY_TOO_LARGE or BODIES_FULL as soon as either is known; the rest of the body is then read and dropped.
 */
export function readBody(
  payload: IncomingMessage,
  { bytesMax, hold }: BodyLimits,
  done: (error: Error | null, body: Buffer) => void,
): void {
  const announced = Number(payload.headers["content-length"] ?? Number.NaN);
  if (announced > bytesMax) return done(new ClientError(rejection("BODY_TOO_LARGE")), none);
  const lengthMax = Number.isNaN(announced) ? bytesMax : announced;
  let memory: Buffer = none;
  let length = 0;
  let isSettled = false;

  payload.on("data", onData);
  payload.on("end", onEnd);
  payload.on("error", onEnd);

  function onData(chunk: Buffer): void {
    if (isSettled) return;
    const end = length + chunk.length;
    if (end > bytesMax) return settle(new ClientError(rejection("BODY_TOO_LARGE")));
    // The usual body arrives in one chunk, which nothing else uses.
    if (end === announced && length === 0 && end <= uncountedBytes) {
      memory = chunk;
      length = end;
      return;
    }
    if (end > memory.length) {
      // Doubles each time: many small chunks then cost no object and no full copy each.
      const capacity = Math.max(end, Math.min(lengthMax, 2 * memory.length));
      if (capacity > uncountedBytes && !hold(capacity)) return settle(new ClientError(rejection("BODIES_FULL")));
      const larger = Buffer.allocUnsafe(capacity);
      memory.copy(larger, 0, 0, length);
      memory = larger;
    }
    chunk.copy(memory, length);
    length = end;
  }

  function onEnd(error?: Error): void {
    settle(error === undefined ? null : new ClientError(rejection("BODY_CUT_SHORT")));
  }

  // The listeners stay: their removal costs more than the calls that drop the rest of a body.
  function settle(error: Error | null): void {
    if (isSettled) return;
    isSettled = true;
    done(error, memory.length === length ? memory : memory.subarray(0, length));
  }
}

/**
 * Returns a function that raises the bytes that a request holds of the budget, and returns whether there was room. All are released when the
 * request has its response or its client disconnects.
 */
export function holdFor(request: FastifyRequest, reply: FastifyReply, budget: ByteBudget): (bytes: number) => boolean {
  let held = 0;
  let client = "";
  return (bytes) => {
    // The client has disconnected: nothing would release it.
    if (reply.raw.destroyed) return false;
    if (held === 0) client = clientOf(request.ip);
    if (!budget.take(client, bytes - held)) return false;
    if (held === 0) reply.raw.once("close", () => budget.release(client, held));
    held = bytes;
    return true;
  };
}
