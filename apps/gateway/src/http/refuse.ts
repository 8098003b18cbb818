import type { FastifyReply } from "fastify";
import type { Refusal } from "./errors.ts";

/** Sends a refusal in the shape of the route's domain: {"message": …}, or {"msg": …} where the contract has that. */
export function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (refusal.retryAfterSeconds !== undefined) reply.header("retry-after", refusal.retryAfterSeconds);
  const key = reply.routeOptions.config.errorKey ?? "message";
  return reply.code(refusal.status).send({ [key]: refusal.message });
}

declare module "fastify" {
  interface FastifyContextConfig {
    errorKey?: "message" | "msg";
  }
}
