import type { FastifyInstance, FastifyRequest } from "fastify";
import type { QueryRoute } from "@tally/pipeline";
import type { RouteAccess } from "../../admission/route-access.ts";
import type { Served } from "../../serve-domain.ts";
import { plainText } from "../body/content.ts";

/** A query of a domain. Reads the read endpoint and the rankings, never the broker. */
export function addQueryRoute(
  app: FastifyInstance,
  path: string,
  route: QueryRoute,
  { domain: { name, errorKey }, sources }: Served,
): void {
  const { params, query: querystring, response, as } = route;
  const respond = (request: FastifyRequest) => route.respond({ params: request.params, query: request.query }, sources);
  const access: RouteAccess = {
    domain: name,
    action: "read",
    storeOf: (request) => route.storeOf?.({ params: request.params, query: request.query }),
  };
  const config = { errorKey, access };
  if (as === "text") {
    app.get(path, { config, schema: { params, querystring } }, async (request, reply) => {
      const text = String(await respond(request));
      return reply.type(plainText).send(text);
    });
  } else app.get(path, { config, schema: { params, querystring, response: { 200: response } } }, respond);
}
