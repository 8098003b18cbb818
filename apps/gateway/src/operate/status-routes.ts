import { View, type Domain } from "@tally/contract";
import { Status, type StatusReader } from "@tally/telemetry";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { addJsonRoute } from "./add-json-route.ts";

const None = Type.Object({}, { additionalProperties: false });
const keptMs = 400;

/** GET /status: the status of the system, read at most once in 0.4 s. GET /views: what the page shows of each domain. */
export function addStatusRoutes(app: FastifyInstance, domains: readonly Domain[], reader: StatusReader): void {
  let newest: { readonly atMs: number; readonly status: Promise<Status> } | undefined;
  addJsonRoute(app, "/status", {
    documented: { summary: "the status of the system: servers, queues, processes, errors", examples: {} },
    params: None,
    query: None,
    response: Status,
    // Heartbeats come once a second. Also while it waits for servers that do not respond.
    everyMs: 1000,
    respond() {
      const now = performance.now();
      if (newest === undefined || now - newest.atMs >= keptMs) newest = { atMs: now, status: reader.read() };
      return newest.status;
    },
  });

  const views = domains.flatMap(({ name, views: own }) => own.map((view) => ({ ...view, domain: name })));
  addJsonRoute(app, "/views", {
    documented: {
      summary: "the boards that the page shows, each a GET route with parameters in braces",
    },
    params: None,
    query: None,
    response: Type.Object({ views: Type.Array(Type.Object({ ...View.properties, domain: Type.String() })) }),
    // They are part of the code.
    everyMs: 60_000,
    respond: async () => ({ views }),
  });
}
