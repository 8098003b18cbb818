import type { Domain } from "@tally/contract";
import type { FastifyReply } from "fastify";
import type { ErrorCode, Rejection } from "./catalogue.ts";

/** Responds with an error under the key of the route's domain, {"message": …} or {"msg": …}, and counts it. */
export function reject(reply: FastifyReply, { code, status, message, retryAfterSeconds }: Rejection): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header("retry-after", retryAfterSeconds);
  reply.server.onRejected(code);
  const { config } = reply.routeOptions;
  // Before the handler of its route has run.
  if (config.times !== undefined) reply.raw.route = config.times;
  const key = config.errorKey ?? reply.server.errorKeyOf(reply.request.url);
  return reply.code(status).send({ [key]: message });
}

/** Error key for a path without a route: the key of the domain that owns the first path segment. */
export function errorKeysOf(
  domains: readonly Domain[],
  mounts: readonly { readonly prefix: string }[],
): (url: string) => Domain["errorKey"] {
  const words = domains.flatMap(({ errorKey, routes, queries }) =>
    [...routes, ...queries].map(({ path }) => [path.split("/")[1] ?? "", errorKey] as const),
  );
  const keys = new Map(
    mounts.flatMap(({ prefix }) => words.map(([word, key]) => [`${prefix}/${word}/`, key] as const)),
  );
  return (url) => {
    const path = `${url.split("?", 1).join()}/`.replaceAll(/\/{2,}/g, "/");
    for (const [start, key] of keys) if (path.startsWith(start)) return key;
    return "message";
  };
}

declare module "fastify" {
  interface FastifyInstance {
    /** Called once for each response with an error. */
    readonly onRejected: (code: ErrorCode) => void;
    /** The key of an error, by the URL of a request that has no route. */
    readonly errorKeyOf: (url: string) => "message" | "msg";
  }
  interface FastifyContextConfig {
    errorKey?: "message" | "msg";
    /** Accepts a body of any type, and drops it. */
    ignoresBody?: boolean;
    /** The route parses the body as a form. */
    readsForm?: boolean;
    /** The route parses the entries of a BulkBody. */
    readsEntries?: boolean;
  }
}
