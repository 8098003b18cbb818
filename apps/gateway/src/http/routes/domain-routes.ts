import type { ContentRoute, QueryRoute } from "@tally/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { forbiddenInDomain, forbiddenStore } from "../../admission/admission.ts";
import { reject } from "../../errors/reject.ts";
import type { WatchedRequest, WatchedRoute } from "../../live/watchables.ts";
import { routeConfig, type Served } from "../../serve-domain.ts";
import { plainText } from "../body/content.ts";
import { addBulkRoute } from "./bulk-route.ts";
import { addFormRoute } from "./form-route.ts";
import { addIngestRoute } from "./ingest-route.ts";
import { addPutRoute } from "./put-route.ts";

/** Where routes are mounted. */
export interface Mount {
  readonly prefix: string;
  readonly isBasePath: boolean;
}

/** The root, which is a base path only when BASE_PATHS names it, and each of BASE_PATHS. */
export function mountsOf(basePaths: readonly string[]): readonly Mount[] {
  const prefixes = new Set(basePaths.map((path) => `/${path.replaceAll(/^\/+|\/+$/g, "")}`));
  const rootIsBasePath = prefixes.delete("/");
  return [
    { prefix: "", isBasePath: rootIsBasePath },
    ...Array.from(prefixes, (prefix) => ({ prefix, isBasePath: true })),
  ];
}

/** Mounts all routes of a domain. */
export function addDomainRoutes(app: FastifyInstance, mount: Mount, served: Served): void {
  const { domain } = served;
  for (const route of domain.routes) {
    for (const path of pathsOf(app, "POST", route, mount)) {
      if (route.kind === "ingest") addIngestRoute(app, path, route, served);
      else if (route.kind === "form") addFormRoute(app, path, route, served);
      else addBulkRoute(app, path, route, served);
    }
  }
  for (const route of domain.queries) {
    for (const path of pathsOf(app, "GET", route, mount)) {
      if (route.kind === "content") addContentRoute(app, path, route, served);
      else addQueryRoute(app, path, route, served);
    }
  }
  for (const route of domain.puts)
    for (const path of pathsOf(app, "PUT", route, mount)) addPutRoute(app, path, route, served);
}

// A route below a base path may exist at the root already: /steps/… with the base path /steps.
function pathsOf(
  app: FastifyInstance,
  method: "GET" | "POST" | "PUT",
  { path, pathUnderBase }: { readonly path: string; readonly pathUnderBase?: string },
  { prefix, isBasePath }: Mount,
): readonly string[] {
  return [path, ...(isBasePath && pathUnderBase !== undefined ? [pathUnderBase] : [])]
    .map((own) => prefix + own)
    .filter((url) => !app.hasRoute({ method, url }));
}

/** A query of a domain. Reads the read endpoint and the rankings, never the broker. */
function addQueryRoute(app: FastifyInstance, path: string, route: QueryRoute, { domain, sources }: Served): void {
  const { params, query: querystring, response, as, storeOfResponse, everyMs } = route;
  const respond = ({ params: own, query }: WatchedRequest) => route.respond({ params: own, query }, sources);
  const watched: WatchedRoute = {
    respond,
    everyMs,
    async forbidden(request, grant) {
      const inDomain = (store?: number | string) => forbiddenInDomain(grant, domain.name, "read", store);
      if (storeOfResponse === undefined || grant?.stores === undefined) return inDomain(route.storeOf?.(request));
      return grant.may(domain.name, "read") ? inDomain(storeOfResponse(await respond(request))) : inDomain();
    },
  };
  const storeOf = ({ params: own, query }: FastifyRequest) => route.storeOf?.({ params: own, query });
  const config = routeConfig(domain, route, { action: "read", storeOf: storeOfResponse ? "inRoute" : storeOf });
  if (as === "text") {
    app.get(path, { config, schema: { params, querystring } }, async (request, reply) =>
      reply.type(plainText).send(String(await respond(request))),
    );
  } else {
    const schema = { params, querystring, response: { 200: response } };
    app.get(path, { config: { ...config, watched }, schema }, async (request, reply) => {
      const body = await respond(request);
      const forbidden = storeOfResponse && forbiddenStore(request.grant, storeOfResponse(body));
      return forbidden === undefined ? body : reject(reply, forbidden);
    });
  }
}

/** A GET of bytes with their own type. They never change, so caches may keep them; with a key, private ones. */
function addContentRoute(app: FastifyInstance, path: string, route: ContentRoute, served: Served): void {
  const { domain, sources } = served;
  const config = routeConfig(domain, route, { action: "read", storeOf: () => undefined });
  app.get(path, { config, schema: { params: route.params } }, async (request, reply) => {
    const { type, bytes } = await route.respond(request.params, sources);
    // A browser must not treat an uploaded picture as a page.
    const cacheControl = `${request.grant === undefined ? "public" : "private"}, max-age=31536000, immutable`;
    reply.headers({ "cache-control": cacheControl, "x-content-type-options": "nosniff" });
    return reply.type(type).send(bytes);
  });
}
