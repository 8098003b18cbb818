import type { FastifyInstance } from "fastify";
import type { Domain, QueryRoute, Sources } from "@tally/pipeline";

/** A question of a domain: answered from the read endpoint and the rankings, never through the broker. */
export function addQueryRoute(
  app: FastifyInstance,
  prefix: string,
  { errorKey }: Domain,
  route: QueryRoute,
  sources: Sources,
): void {
  app.get(
    `${prefix}${route.path}`,
    {
      config: { errorKey },
      schema: { params: route.params, querystring: route.query, response: { 200: route.response } },
    },
    async (request) => route.answer({ params: request.params, query: request.query }, sources),
  );
}
