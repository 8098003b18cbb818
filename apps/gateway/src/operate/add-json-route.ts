import type { Grant } from "@tally/access";
import type { FastifyInstance, FastifySchema } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import type { Rejection } from "../errors/catalogue.ts";
import { reject } from "../errors/reject.ts";
import type { OwnDocument } from "../http/reference/documented.ts";
import type { WatchedRoute } from "../live/watchables.ts";

interface JsonRoute<P extends TObject, Q extends TObject, R extends TSchema> {
  /** For the API reference. */
  readonly documented: Omit<OwnDocument, "path">;
  readonly params: P;
  readonly query: Q;
  readonly response: R;
  /** Returns the error for a request that a valid API key may not make; undefined: it may. Absent: every valid key may. */
  readonly forbidden?: (
    request: { readonly params: Static<P>; readonly query: Static<Q> },
    grant: Grant | undefined,
  ) => Rejection | undefined | Promise<Rejection | undefined>;
  /** The same for everyone who may read it. */
  readonly respond: (request: { readonly params: Static<P>; readonly query: Static<Q> }) => Promise<Static<R>>;
  /** See WatchedRoute. */
  readonly everyMs?: number;
}

/** A GET that belongs to no domain. It responds with JSON and can be watched. */
export function addJsonRoute<P extends TObject, Q extends TObject, R extends TSchema>(
  app: FastifyInstance,
  path: string,
  { documented: words, params, query, response, forbidden = () => undefined, respond, everyMs }: JsonRoute<P, Q, R>,
): void {
  // Called only with values that the schemas of the same route have accepted.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const watched = { respond, forbidden, ...(everyMs !== undefined && { everyMs }) } as unknown as WatchedRoute;
  const schema: FastifySchema = { params, querystring: query, response: { 200: response } };
  const documented = { path, ...words };
  app.get(
    path,
    { config: { access: "anyKey", watched, documented }, schema },
    async (request, reply): Promise<unknown> => {
      const rejected = await watched.forbidden(request, request.grant);
      return rejected === undefined ? watched.respond(request, () => undefined) : reject(reply, rejected);
    },
  );
}
