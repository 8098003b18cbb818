import type { FastifyInstance } from "fastify";
import type { Served } from "../../serve-domain.ts";
import { addBulkRoute } from "./bulk-route.ts";
import { addContentRoute } from "./content-route.ts";
import { addFormRoute } from "./form-route.ts";
import { addIngestRoute } from "./ingest-route.ts";
import { addQueryRoute } from "./query-route.ts";

/** Where routes are mounted. The root is a base path only when BASE_PATHS names it. */
export interface Mount {
  readonly prefix: string;
  readonly isBasePath: boolean;
}

/** The root, and each of BASE_PATHS. */
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
}

// A route below a base path may exist at the root already: /steps/… with the base path /steps.
function pathsOf(
  app: FastifyInstance,
  method: "GET" | "POST",
  { path, pathUnderBase }: { readonly path: string; readonly pathUnderBase?: string },
  { prefix, isBasePath }: Mount,
): readonly string[] {
  return [path, ...(isBasePath && pathUnderBase !== undefined ? [pathUnderBase] : [])]
    .map((own) => prefix + own)
    .filter((url) => !app.hasRoute({ method, url }));
}
