import type { IncomingHttpHeaders } from "node:http";
import type { Action, Grant, KeyCheck } from "@tally/access";
import type { FastifyInstance, FastifyRequest, onRequestHookHandler, preHandlerHookHandler } from "fastify";
import { rejection, type Rejection } from "../errors/catalogue.ts";
import { reject } from "../errors/reject.ts";
import type { Limited, RateLimits } from "./rate-limits.ts";

/*
 * The checks of a request with AUTH=required:
 *
 *   onRequest     before its body is read: takes one token of its key or address (429), checks the key (401) and its
 *                 scope (403)
 *   preHandler    params and body are valid: checks its store (403), and takes the tokens of its further entries (429)
 */

export interface AdmissionOptions {
  /** Checks a key; absent: no key is required. */
  readonly check: ((text: string) => KeyCheck) | undefined;
  /** Absent: there are no limits. */
  readonly limits: RateLimits | undefined;
}

/** What a route requires. "open": no key, no limit. "anyKey": a valid key; the route checks the rest itself. */
export type RouteAccess = "open" | "anyKey" | DomainAccess;

export interface DomainAccess {
  readonly domain: string;
  readonly action: Action;
  /** The store that a checked request is about. "inRoute": the route checks each entry, or its response, itself. */
  readonly storeOf: "inRoute" | ((request: FastifyRequest) => number | string | undefined);
  /** How many tokens of a rate limit a checked request takes; absent: 1. */
  readonly costOf?: (request: FastifyRequest) => number;
}

/** Checks keys and rates on later routes that are not open, or pages of other sites where no keys are required. Throws
 * for a route without access. Keeps what later routes respond to a GET out of caches. */
export function addAdmission(app: FastifyInstance, { check, limits }: AdmissionOptions): void {
  app.decorateRequest("grant", undefined);
  app.decorateRequest("limited", undefined);
  if (check === undefined) rejectForeignPages(app);
  app.addHook("onRoute", (route) => {
    const access = route.config?.access;
    if (access === undefined) throw new TypeError(`${String(route.method)} ${route.url}: expected config.access`);
    if (access === "open" || (check === undefined && limits === undefined)) return;
    route.onRequest = [admitting(access, check, limits), ...[route.onRequest ?? []].flat()];
    if (access === "anyKey") return;
    const { storeOf, costOf } = access;
    route.preHandler = [
      ...(check !== undefined && storeOf !== "inRoute" ? [holdToStores(storeOf)] : []),
      ...(limits !== undefined && costOf !== undefined ? [chargeEntries(limits, costOf)] : []),
      ...[route.preHandler ?? []].flat(),
    ];
  });
  // After the hook above, so that its rejections have the header, too.
  app.addHook("onRoute", (route) => {
    if (isRead(route)) route.onRequest = [keepOutOfCaches, ...[route.onRequest ?? []].flat()];
  });
}

const readingMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const isRead = ({ method }: { readonly method: string | string[] }) =>
  [method].flat().every((one) => readingMethods.has(one));

/** A cache in front would respond later, and without a key. A route whose responses may be kept replaces the header. */
const keepOutOfCaches: onRequestHookHandler = (_request, reply, done) => {
  reply.header("cache-control", "no-store");
  done();
};

function admitting(
  access: Exclude<RouteAccess, "open">,
  check: AdmissionOptions["check"],
  limits: RateLimits | undefined,
): onRequestHookHandler {
  return (request, reply, done) => {
    const text = check && keyOfRequest(request.headers);
    const checked = check && (text === undefined ? "missing" : check(text));
    const grant = typeof checked === "object" ? checked : undefined;
    request.grant = grant;
    const rejectFor = (challenge: string, rejected: Rejection): void => {
      reply.header("www-authenticate", challenge);
      reject(reply, rejected);
    };
    const decide = (): void => {
      if (checked === "unsure") return void reject(reply, rejection("API_KEY_UNCHECKED"));
      if (checked === "missing") return rejectFor("Bearer", rejection("API_KEY_MISSING"));
      if (checked === "invalid") return rejectFor('Bearer error="invalid_token"', rejection("API_KEY_INVALID"));
      if (grant === undefined || access === "anyKey" || grant.may(access.domain, access.action)) return done();
      const scope = `${access.domain}:${access.action}`;
      rejectFor(`Bearer error="insufficient_scope", scope="${scope}"`, rejection("SCOPE_MISSING", { scope }));
    };
    const limited = limits?.limitOf(request, grant);
    if (limits === undefined || limited === undefined) return decide();
    request.limited = limited;
    limits.take(reply, limited, 1, decide);
  };
}

const bearer = /^bearer +/i;

/** The key of a request; undefined when it has none. "", which is no valid key, when it has two. */
export function keyOfRequest({ authorization, "x-api-key": own }: IncomingHttpHeaders): string | undefined {
  // The common case, without a regular expression.
  if (own === undefined && authorization?.startsWith("Bearer tally_") === true) return authorization.slice(7);
  if (authorization !== undefined && bearer.test(authorization))
    return own === undefined ? authorization.replace(bearer, "") : "";
  return Array.isArray(own) ? "" : own;
}

function holdToStores(storeOf: (request: FastifyRequest) => number | string | undefined): preHandlerHookHandler {
  return (request, reply, done) => {
    if (request.grant?.stores === undefined) return done();
    // Fastify takes what it throws, as for a body that is not valid.
    const forbidden = forbiddenStore(request.grant, storeOf(request));
    if (forbidden === undefined) done();
    else reject(reply, forbidden);
  };
}

function chargeEntries(limits: RateLimits, costOf: (request: FastifyRequest) => number): preHandlerHookHandler {
  return (request, reply, done) => {
    const { limited } = request;
    const cost = limited === undefined ? 1 : costOf(request);
    if (limited === undefined || cost <= 1) return done();
    const { burst } = limited.limit;
    if (cost > burst) return void reject(reply, rejection("BURST_EXCEEDED", { burst, entries: cost }));
    // The first token was taken before the body was read.
    limits.take(reply, limited, cost - 1, done, 1);
  };
}

/** Rejects requests that may change something when the browser of a user sends them for a page of another site. Needed
 * only where no key is required: a page cannot add a key to a request for another site, but it can send a form. In the
 * call of the handler, before it: a hook would cost each event closures, and nothing is changed until then. */
function rejectForeignPages(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const { handler } = route;
    if (isRead(route)) return;
    route.handler = function handleOwn(request, reply) {
      const { headers } = request;
      // The common case: no browser.
      const isOfBrowser = headers["sec-fetch-site"] !== undefined || headers.origin !== undefined;
      const page = isOfBrowser ? foreignPageOf(headers) : undefined;
      if (page === undefined) return handler.call(this, request, reply);
      return reject(reply, rejection("FOREIGN_PAGE", { page }));
    };
  });
}

/** The page of another site that sent a request; undefined: none did. By Sec-Fetch-Site, which pages cannot set.
 * Browsers send it to https and to localhost only; without it, by Origin, which they send with every POST. */
export function foreignPageOf(
  headers: Pick<IncomingHttpHeaders, "origin" | "host" | "sec-fetch-site">,
): string | undefined {
  const { origin, host, "sec-fetch-site": site } = headers;
  // Another port of localhost is "same-site". none: typed by the user.
  if (site === "same-origin" || site === "none") return undefined;
  if (site !== undefined) return (origin ?? `a ${site} page`).slice(0, 200);
  // No URL, or "null", as of a page in a sandbox, is another site. An origin does not have the default port.
  const own = origin === undefined || URL.parse(origin)?.host === host?.toLowerCase().replace(/:(80|443)$/, "");
  return own ? undefined : origin.slice(0, 200);
}

/** Why a key may not use a store; undefined: it may. No `store`: none or several, which a key with stores may not. */
export function forbiddenStore(grant: Grant | undefined, store: number | string | undefined): Rejection | undefined {
  if (grant?.stores === undefined) return undefined;
  if (store === undefined) return rejection("STORE_LIMITED");
  return grant.stores.has(String(store)) ? undefined : rejection("STORE_FORBIDDEN", { store });
}

/** Why a key may not do this in a domain and a store; undefined: it may. The domain "*": in all domains. */
export function forbiddenInDomain(
  grant: Grant | undefined,
  domain: string,
  action: Action,
  store?: number | string,
): Rejection | undefined {
  if (grant?.may(domain, action) === false) return rejection("SCOPE_MISSING", { scope: `${domain}:${action}` });
  return forbiddenStore(grant, store);
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
