import type { Grant } from "@tally/access";
import { type Domain, View } from "@tally/contract";
import { kept } from "@tally/runtime";
import { Status, type StatusReader } from "@tally/telemetry";
import type { FastifyInstance, FastifySchema } from "fastify";
import { type Static, type TObject, type TSchema, Type } from "typebox";
import { reject } from "../errors/reject.ts";
import type { OwnDocument } from "../http/reference/documented.ts";
import type { WatchedRoute } from "../live/watchables.ts";

interface JsonRoute<P extends TObject, Q extends TObject, R extends TSchema> {
  /** For the API reference. */
  readonly documented: Omit<OwnDocument, "path">;
  /** Absent: none; the same for `query`. */
  readonly params?: P;
  readonly query?: Q;
  readonly response: R;
  /** See WatchedRoute. Absent: every valid key may. */
  readonly forbidden?: (
    request: { readonly params: Static<P>; readonly query: Static<Q> },
    grant: Grant | undefined,
  ) => ReturnType<WatchedRoute["forbidden"]>;
  /** The same for everyone who may read it. */
  readonly respond: (request: { readonly params: Static<P>; readonly query: Static<Q> }) => Promise<Static<R>>;
  readonly everyMs?: number;
}

const None = Type.Object({}, { additionalProperties: false });

/** A GET that belongs to no domain. It responds with JSON and can be watched. */
export function addJsonRoute<P extends TObject, Q extends TObject, R extends TSchema>(
  app: FastifyInstance,
  path: string,
  { documented: words, params, query, response, forbidden = () => undefined, respond, everyMs }: JsonRoute<P, Q, R>,
): void {
  // Called only with values that the schemas of the same route have accepted.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const watched = { respond, forbidden, everyMs } as unknown as WatchedRoute;
  const schema: FastifySchema = { params: params ?? None, querystring: query ?? None, response: { 200: response } };
  const config = { access: "anyKey", watched, documented: { path, ...words } } as const;
  app.get(path, { config, schema }, async (request, reply): Promise<unknown> => {
    const rejected = await watched.forbidden(request, request.grant);
    return rejected === undefined ? watched.respond(request) : reject(reply, rejected);
  });
}

const keptMs = 400;

/** GET /status: the status of the system, read at most once in 0.4 s. GET /views: what the page shows. */
export function addStatusRoutes(app: FastifyInstance, domains: readonly Domain[], reader: StatusReader): void {
  addJsonRoute(app, "/status", {
    documented: { summary: "the status of the system: servers, queues, processes, errors", examples: {} },
    response: Status,
    // Heartbeats come once a second, and while it waits for servers that do not respond.
    everyMs: 1000,
    respond: kept(() => reader.read(), keptMs),
  });

  const views = domains.flatMap(({ name, views: own }) => own.map((view) => ({ ...view, domain: name })));
  addJsonRoute(app, "/views", {
    documented: { summary: "the boards that the page shows, each a GET route with parameters in braces" },
    response: Type.Object({ views: Type.Array(Type.Object({ ...View.properties, domain: Type.String() })) }),
    // They are part of the code.
    everyMs: 60_000,
    respond: async () => ({ views }),
  });
}
