import type { FastifyInstance, FastifyReply } from "fastify";
import type { Domain, Sources } from "@tally/pipeline";
import type { Finder } from "../../find/finder.ts";
import type { GroupCommit } from "../../ingest/group-commit.ts";
import type { DomainKeys } from "../../keys/domain-keys.ts";
import { addBulkRoute, type BulkBytes } from "./bulk-route.ts";
import { addContentRoute } from "./content-route.ts";
import { addFormRoute, type FormLimits } from "./form-route.ts";
import { addIngestRoute } from "./ingest-route.ts";
import { addQueryRoute } from "./query-route.ts";

/** Where routes are mounted. The root is a base path only when it is said to be one. */
export interface Mount {
  readonly prefix: string;
  readonly isBasePath: boolean;
}

/** A domain, and what its routes work with. */
export interface Served {
  readonly domain: Domain;
  readonly commit: GroupCommit;
  readonly keys: DomainKeys;
  readonly finder: Finder;
  readonly sources: Sources;
  readonly forms: FormLimits;
  readonly bulk: BulkBytes;
  /** Whether so many more bytes may be on their way out. */
  readonly hasRoom: (reply: FastifyReply, bytes: number) => boolean;
}

/** Mounts all that a domain takes and answers. */
export function addDomainRoutes(app: FastifyInstance, mount: Mount, served: Served): void {
  const { domain, sources } = served;
  for (const route of domain.routes) {
    for (const path of pathsOf(app, "POST", route, mount)) {
      if (route.kind === "ingest") addIngestRoute(app, path, route, served);
      else if (route.kind === "form") addFormRoute(app, path, route, served);
      else addBulkRoute(app, path, route, served);
    }
  }
  for (const route of domain.queries) {
    for (const path of pathsOf(app, "GET", route, mount)) {
      if (route.kind === "content") addContentRoute(app, path, domain, route, served);
      else addQueryRoute(app, path, domain, route, sources);
    }
  }
}

// A base path may lead to what the root has already, as /steps does.
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
