import type { IncomingHttpHeaders } from "node:http";

const bearer = /^bearer +/i;

/** The key that a request presents, not checked yet; undefined when it has none. A request that presents two has an invalid one. */
export function keyOfRequest(headers: IncomingHttpHeaders): string | undefined {
  const { authorization, "x-api-key": own } = headers;
  if (authorization === undefined) return Array.isArray(own) ? "" : own;
  // The common case, without a regular expression.
  if (own === undefined && authorization.startsWith("Bearer tally_")) return authorization.slice(7);
  if (bearer.test(authorization)) return own === undefined ? authorization.replace(bearer, "") : "";
  return Array.isArray(own) ? "" : own;
}
