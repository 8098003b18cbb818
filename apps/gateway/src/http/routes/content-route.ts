import type { FastifyInstance } from "fastify";
import type { ContentRoute } from "@tally/contract";
import type { RouteAccess } from "../../admission/route-access.ts";
import { rejection } from "../../errors/catalogue.ts";
import type { Served } from "../../serve-domain.ts";
import { reject } from "../../errors/reject.ts";

/** A GET of bytes with their own type. They never change, so any cache may keep them. */
export function addContentRoute(
  app: FastifyInstance,
  path: string,
  route: ContentRoute,
  { domain, sources, hasRoom }: Served,
): void {
  const access: RouteAccess = { domain: domain.name, action: "read", storeOf: () => undefined };
  const config = { errorKey: domain.errorKey, access, documented: { domain, route } };
  app.get(path, { config, schema: { params: route.params } }, async (request, reply) => {
    const { type, bytes } = await route.respond(request.params, sources);
    if (!hasRoom(reply, bytes.length)) return reject(reply, rejection("RESPONSES_FULL"));
    reply.header("cache-control", "public, max-age=31536000, immutable");
    // A browser must not treat an uploaded picture as a page.
    reply.header("x-content-type-options", "nosniff");
    return reply.type(type).send(bytes);
  });
}
