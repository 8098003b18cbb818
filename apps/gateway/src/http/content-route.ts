import type { FastifyInstance } from "fastify";
import type { ContentRoute, Domain, Sources } from "@tally/pipeline";

/** A GET of bytes: sent with their own type, and kept by whoever likes to, because they never change. */
export function addContentRoute(
  app: FastifyInstance,
  path: string,
  { errorKey }: Domain,
  route: ContentRoute,
  sources: Sources,
): void {
  app.get(path, { config: { errorKey }, schema: { params: route.params } }, async (request, reply) => {
    const { type, bytes } = await route.answer(request.params, sources);
    reply.header("cache-control", "public, max-age=31536000, immutable");
    // No browser may take for a page what was sent as a picture.
    reply.header("x-content-type-options", "nosniff");
    return reply.type(type).send(bytes);
  });
}
