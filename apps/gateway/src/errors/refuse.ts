import type { FastifyReply } from "fastify";
import type { Refusal } from "./catalogue.ts";

/** Sends a refusal in the shape of the route's domain, {"message": …}, or {"msg": …} where the contract has that; and counts it. */
export function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (refusal.retryAfterSeconds !== undefined) reply.header("retry-after", refusal.retryAfterSeconds);
  reply.server.onRefused(refusal.status);
  const key = reply.routeOptions.config.errorKey ?? reply.server.errorKeyOf(reply.request.url);
  return reply.code(refusal.status).send({ [key]: refusal.message });
}

declare module "fastify" {
  interface FastifyInstance {
    /** Told the status of each request that is answered with an error. */
    readonly onRefused: (status: number) => void;
    /** Under which key the error of a path that no route takes is told. */
    readonly errorKeyOf: (url: string) => "message" | "msg";
  }
  interface FastifyContextConfig {
    errorKey?: "message" | "msg";
    /** Bodies of whatever type are left aside. */
    ignoresBody?: boolean;
    /** Its route reads the body itself. */
    readsForm?: boolean;
    /** Its route reads the entries of a BulkBody. */
    readsEntries?: boolean;
  }
}
