import type { IncomingHttpHeaders } from "node:http";
import type { Grant, KeyCheck } from "@tally/access";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from "fastify";
import { rejection } from "../errors/catalogue.ts";
import { reject } from "../errors/reject.ts";
import { rejectForeignPages } from "./foreign-pages.ts";
import type { RateLimits } from "./rate-limits.ts";
import { forbiddenStore, type DomainAccess, type RouteAccess } from "./route-access.ts";

/*
 * The checks of a request with AUTH=required:
 *
 *   onRequest     before its body is read: takes one token of its key or address (429), checks the key (401) and its scope (403)
 *   preHandler    params and body are valid: checks its store (403), and takes the tokens of its further entries (429)
 */

export interface AdmissionOptions {
  /** Checks a key; absent: no key is required. */
  readonly check: ((text: string) => KeyCheck) | undefined;
  /** Absent: there are no limits. */
  readonly limits: RateLimits | undefined;
}

type Undecided = Exclude<KeyCheck, Grant> | "missing";

/** Checks keys and rates on later routes that are not open, or pages of other sites where no keys are required. Throws for a route without access. */
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
      ...(check !== undefined && storeOf !== "perEntry" ? [holdToStores(storeOf)] : []),
      ...(limits !== undefined && costOf !== undefined ? [chargeEntries(limits, costOf)] : []),
      ...[route.preHandler ?? []].flat(),
    ];
  });
}

function admitting(
  access: Exclude<RouteAccess, "open">,
  check: AdmissionOptions["check"],
  limits: RateLimits | undefined,
): onRequestHookHandler {
  return (request, reply, done) => {
    const checked = check === undefined ? undefined : checkedKey(request, check);
    const grant = typeof checked === "object" ? checked : undefined;
    request.grant = grant;
    const decide = (): void => {
      if (typeof checked === "string") rejectKey(reply, checked);
      else if (grant !== undefined && access !== "anyKey" && !grant.may(access.domain, access.action)) {
        rejectScope(reply, access);
      } else done();
    };
    const limited = limits?.limitOf(request, grant);
    if (limits === undefined || limited === undefined) return decide();
    request.limited = limited;
    limits.take(reply, limited, 1, decide);
  };
}

function checkedKey(request: FastifyRequest, check: (text: string) => KeyCheck): Grant | Undecided {
  const text = keyOfRequest(request.headers);
  return text === undefined ? "missing" : check(text);
}

const bearer = /^bearer +/i;

/** The key of a request; undefined when it has none. "", which is no valid key, when it has two. */
export function keyOfRequest({ authorization, "x-api-key": own }: IncomingHttpHeaders): string | undefined {
  if (authorization === undefined) return Array.isArray(own) ? "" : own;
  // The common case, without a regular expression.
  if (own === undefined && authorization.startsWith("Bearer tally_")) return authorization.slice(7);
  if (bearer.test(authorization)) return own === undefined ? authorization.replace(bearer, "") : "";
  return Array.isArray(own) ? "" : own;
}

function holdToStores(storeOf: (request: FastifyRequest) => number | string | undefined): preHandlerHookHandler {
  return (request, reply, done) => {
    if (request.grant?.stores === undefined) return done();
    try {
      const forbidden = forbiddenStore(request.grant, storeOf(request));
      if (forbidden === undefined) done();
      else reject(reply, forbidden);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  };
}

// The first token was taken before the body was read.
function chargeEntries(limits: RateLimits, costOf: (request: FastifyRequest) => number): preHandlerHookHandler {
  return (request, reply, done) => {
    const { limited } = request;
    const cost = limited === undefined ? 1 : costOf(request);
    if (limited === undefined || cost <= 1) return done();
    const { burst } = limited.limit;
    if (cost > burst) return void reject(reply, rejection("BURST_EXCEEDED", { burst, entries: cost }));
    limits.take(reply, limited, cost - 1, done);
  };
}

function rejectKey(reply: FastifyReply, why: Undecided): void {
  if (why === "unsure") return void reject(reply, rejection("API_KEY_UNCHECKED"));
  const isMissing = why === "missing";
  reply.header("www-authenticate", isMissing ? "Bearer" : 'Bearer error="invalid_token"');
  reject(reply, rejection(isMissing ? "API_KEY_MISSING" : "API_KEY_INVALID"));
}

function rejectScope(reply: FastifyReply, { domain, action }: DomainAccess): void {
  const scope = `${domain}:${action}`;
  reply.header("www-authenticate", `Bearer error="insufficient_scope", scope="${scope}"`);
  reject(reply, rejection("SCOPE_MISSING", { scope }));
}
