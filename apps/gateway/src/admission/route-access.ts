import type { Action, Grant } from "@tally/access";
import type { FastifyRequest } from "fastify";
import { rejection, type Rejection } from "../errors/catalogue.ts";
import type { Limited } from "./rate-limits.ts";

/** What a route requires of a request's key. "open": no key, no limit. "anyKey": a valid key; the route checks the rest itself. */
export type RouteAccess = "open" | "anyKey" | DomainAccess;

export interface DomainAccess {
  readonly domain: string;
  readonly action: Action;
  /** The store that a checked request is about. "perEntry": the route checks each entry itself. */
  readonly storeOf: "perEntry" | ((request: FastifyRequest) => number | string | undefined);
  /** How many tokens of a rate limit a checked request takes; absent: 1. */
  readonly costOf?: (request: FastifyRequest) => number;
}

/** Why a key may not use a store; undefined when it may. `store` undefined: none or several, which a key limited to stores may not use. */
export function forbiddenStore(grant: Grant | undefined, store: number | string | undefined): Rejection | undefined {
  if (grant?.stores === undefined) return undefined;
  if (store === undefined) return rejection("STORE_LIMITED");
  return grant.stores.has(String(store)) ? undefined : rejection("STORE_FORBIDDEN", { store });
}

/** Why a key may not do this in a domain, whatever the store; undefined: it may. The domain "*": in all domains. */
export function forbiddenInDomain(grant: Grant | undefined, domain: string, action: Action): Rejection | undefined {
  if (grant === undefined) return undefined;
  if (!grant.may(domain, action)) return rejection("SCOPE_MISSING", { scope: `${domain}:${action}` });
  return forbiddenStore(grant, undefined);
}

declare module "fastify" {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
  interface FastifyRequest {
    /** What the request's key allows; undefined when no keys are required, and on open routes. */
    grant?: Grant | undefined;
    /** The rate limit that applies to the request. */
    limited?: Limited | undefined;
  }
}
