import type { FastifyInstance } from "fastify";
import type { Domain, Sources } from "@tally/pipeline";
import type { GroupCommit } from "../ingest/group-commit.ts";
import { addBulkRoute } from "./bulk-route.ts";
import { addIngestRoute } from "./ingest-route.ts";
import { addQueryRoute } from "./query-route.ts";

/** Where routes are mounted. The root is a base path only when it is said to be one. */
export interface Mount {
  readonly prefix: string;
  readonly isBasePath: boolean;
}

/** Mounts all that a domain takes and answers. */
export function addDomainRoutes(
  app: FastifyInstance,
  mount: Mount,
  domain: Domain,
  commit: GroupCommit,
  sources: Sources,
): void {
  for (const route of domain.routes) {
    for (const path of pathsOf(route, mount)) {
      if (route.kind === "ingest") addIngestRoute(app, path, domain, route, commit);
      else addBulkRoute(app, path, domain, route, commit);
    }
  }
  for (const route of domain.queries) {
    for (const path of pathsOf(route, mount)) addQueryRoute(app, path, domain, route, sources);
  }
}

function pathsOf(
  { path, pathUnderBase }: { readonly path: string; readonly pathUnderBase?: string },
  { prefix, isBasePath }: Mount,
): readonly string[] {
  return [path, ...(isBasePath && pathUnderBase !== undefined ? [pathUnderBase] : [])].map((own) => prefix + own);
}
