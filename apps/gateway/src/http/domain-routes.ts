import type { FastifyInstance } from "fastify";
import type { Domain, Sources } from "@tally/pipeline";
import type { GroupCommit } from "../ingest/group-commit.ts";
import { addBulkRoute } from "./bulk-route.ts";
import { addIngestRoute } from "./ingest-route.ts";
import { addQueryRoute } from "./query-route.ts";

/** Mounts all that a domain takes and answers. */
export function addDomainRoutes(
  app: FastifyInstance,
  prefix: string,
  domain: Domain,
  commit: GroupCommit,
  sources: Sources,
): void {
  for (const route of domain.routes) {
    if (route.kind === "ingest") addIngestRoute(app, prefix, domain, route, commit);
    else addBulkRoute(app, prefix, domain, route, commit);
  }
  for (const route of domain.queries) addQueryRoute(app, prefix, domain, route, sources);
}
