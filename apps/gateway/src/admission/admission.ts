import type { Grant, KeyCheck } from "@tally/access";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from "fastify";
import { refuse } from "../errors/refuse.ts";
import { forbiddenStore } from "./forbidden-store.ts";
import { hooksOf } from "./hooks-of.ts";
import { keyOfRequest } from "./key-of-request.ts";
import type { Limited, RateLimits } from "./rate-limits.ts";
import type { DomainAccess, RouteAccess } from "./route-access.ts";

/*
 * A request on its way in, with AUTH=required:
 *
 *   onRequest     its key is checked; one token of its key's rate limit, or of its address's without a valid key, is taken (429);
 *                 without a valid key it is rejected (401), without the scope too (403). Its body is not read yet
 *   preHandler    params and body are valid: its store is compared with those of the key (403), and the tokens of its further entries
 *                 are taken (429)
 */

export interface AdmissionOptions {
  /** Checks a key; absent: no key is required. */
  readonly check: ((text: string) => KeyCheck) | undefined;
  /** Absent: there are no limits. */
  readonly limits: RateLimits | undefined;
}

type Undecided = Exclude<KeyCheck, Grant> | "missing";

/**
 * Requires keys and limits rates on every route that is added later, except open ones. Throws for a route that does not declare its access.
 * Adds no hook where neither keys nor limits are configured.
 */
export function addAdmission(app: FastifyInstance, { check, limits }: AdmissionOptions): void {
  app.decorateRequest("grant", undefined);
  app.decorateRequest("limited", undefined);
  app.addHook("onRoute", (route) => {
    const access = route.config?.access;
    if (access === undefined) throw new TypeError(`${String(route.method)} ${route.url}: expected config.access`);
    if (access === "open" || (check === undefined && limits === undefined)) return;
    route.onRequest = [admitting(access, check, limits), ...hooksOf(route.onRequest)];
    if (access === "anyKey") return;
    const { storeOf, costOf } = access;
    route.preHandler = [
      ...(check !== undefined && storeOf !== "perEntry" ? [holdToStores(storeOf)] : []),
      ...(limits !== undefined && costOf !== undefined ? [chargeEntries(limits, costOf)] : []),
      ...hooksOf(route.preHandler),
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
      if (typeof checked === "string") refuseKey(reply, checked);
      else if (grant !== undefined && access !== "anyKey" && !grant.may(access.domain, access.action)) {
        refuseScope(reply, access);
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

function holdToStores(storeOf: (request: FastifyRequest) => number | string | undefined): preHandlerHookHandler {
  return (request, reply, done) => {
    if (request.grant?.stores === undefined) return done();
    try {
      const message = forbiddenStore(request.grant, storeOf(request));
      if (message === undefined) done();
      else refuse(reply, { status: 403, message });
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
    if (cost > limited.limit.burst) return refuseSize(reply, limited, cost);
    limits.take(reply, limited, cost - 1, done);
  };
}

function refuseSize(reply: FastifyReply, { limit }: Limited, cost: number): void {
  const message = `body: expected at most ${limit.burst} entries, the burst of the rate limit, got ${cost}`;
  refuse(reply, { status: 413, message });
}

function refuseKey(reply: FastifyReply, why: Undecided): void {
  if (why === "unsure") {
    const message = "not taken: this API key cannot be checked at the moment; send it again later";
    refuse(reply, { status: 503, message, retryAfterSeconds: 2 });
    return;
  }
  const isMissing = why === "missing";
  reply.header("www-authenticate", isMissing ? "Bearer" : 'Bearer error="invalid_token"');
  const message = isMissing
    ? "expected an API key, as Authorization: Bearer or as X-Api-Key"
    : "expected a valid API key, got one that is unknown, revoked or malformed, or two";
  refuse(reply, { status: 401, message });
}

function refuseScope(reply: FastifyReply, { domain, action }: DomainAccess): void {
  reply.header("www-authenticate", `Bearer error="insufficient_scope", scope="${domain}:${action}"`);
  refuse(reply, { status: 403, message: `expected an API key with the scope ${domain}:${action}` });
}
