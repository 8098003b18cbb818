import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Domain, QueryRoute, Sources } from "@tally/pipeline";
import type { RouteAccess } from "../admission/route-access.ts";
import { plainText } from "./content.ts";

/** A question of a domain: answered from the read endpoint and the rankings, never through the broker. */
export function addQueryRoute(
  app: FastifyInstance,
  path: string,
  { name, errorKey }: Domain,
  route: QueryRoute,
  sources: Sources,
): void {
  const { params, query: querystring, response, as } = route;
  const answer = (request: FastifyRequest) => route.respond({ params: request.params, query: request.query }, sources);
  const access: RouteAccess = {
    domain: name,
    action: "read",
    storeOf: (request) => route.storeOf?.({ params: request.params, query: request.query }),
  };
  const config = { errorKey, access };
  if (as === "text") {
    app.get(path, { config, schema: { params, querystring } }, async (request, reply) => {
      const text = String(await answer(request));
      return reply.type(plainText).send(text);
    });
  } else app.get(path, { config, schema: { params, querystring, response: { 200: response } } }, answer);
}
