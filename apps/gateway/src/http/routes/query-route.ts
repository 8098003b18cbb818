import type { FastifyInstance } from "fastify";
import type { QueryRoute, SqlReader } from "@tally/contract";
import { forbiddenStore, type RouteAccess } from "../../admission/route-access.ts";
import { rejection } from "../../errors/catalogue.ts";
import type { WatchedRequest, WatchedRoute } from "../../live/watched-route.ts";
import type { Served } from "../../serve-domain.ts";
import { plainText } from "../body/content.ts";

/** A query of a domain. Reads the read endpoint and the rankings, never the broker. */
export function addQueryRoute(
  app: FastifyInstance,
  path: string,
  route: QueryRoute,
  { domain, sources }: Served,
): void {
  const { params, query: querystring, response, as } = route;
  const respond = ({ params: own, query }: WatchedRequest, from = sources) =>
    route.respond({ params: own, query }, from);
  const access: RouteAccess = {
    domain: domain.name,
    action: "read",
    storeOf: (request) => route.storeOf?.({ params: request.params, query: request.query }),
  };
  const watched: WatchedRoute = {
    respond: (request, noteRows) => respond(request, { ...sources, rows: noting(sources.rows, noteRows) }),
    forbidden(request, grant) {
      if (grant?.may(domain.name, "read") === false) return rejection("SCOPE_MISSING", { scope: `${domain.name}:read` });
      return grant === undefined ? undefined : forbiddenStore(grant, route.storeOf?.(request));
    },
  };
  const config = { errorKey: domain.errorKey, access, documented: { domain, route } };
  if (as === "text") {
    app.get(path, { config, schema: { params, querystring } }, async (request, reply) => {
      const text = String(await respond(request));
      return reply.type(plainText).send(text);
    });
  } else {
    const schema = { params, querystring, response: { 200: response } };
    app.get(path, { config: { ...config, watched }, schema }, (request) => respond(request));
  }
}

function noting(rows: SqlReader, note: () => void): SqlReader {
  return {
    query(sql, values) {
      note();
      return rows.query(sql, values);
    },
  };
}
