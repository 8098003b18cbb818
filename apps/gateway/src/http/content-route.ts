import type { FastifyInstance, FastifyReply } from "fastify";
import type { ContentRoute, Domain, Sources } from "@tally/pipeline";
import type { RouteAccess } from "../admission/route-access.ts";
import { refuse } from "./refuse.ts";

/** A GET of bytes: sent with their own type, and kept by whoever likes to, because they never change. */
export function addContentRoute(
  app: FastifyInstance,
  path: string,
  { name, errorKey }: Domain,
  route: ContentRoute,
  {
    sources,
    hasRoom,
  }: { readonly sources: Sources; readonly hasRoom: (reply: FastifyReply, bytes: number) => boolean },
): void {
  const access: RouteAccess = { domain: name, action: "read", storeOf: () => undefined };
  app.get(path, { config: { errorKey, access }, schema: { params: route.params } }, async (request, reply) => {
    const { type, bytes } = await route.respond(request.params, sources);
    if (!hasRoom(reply, bytes.length)) {
      const message = "not sent: too many large answers are under way; ask again later";
      return refuse(reply, { status: 503, message, retryAfterSeconds: 1 });
    }
    reply.header("cache-control", "public, max-age=31536000, immutable");
    // No browser may take for a page what was sent as a picture.
    reply.header("x-content-type-options", "nosniff");
    return reply.type(type).send(bytes);
  });
}
