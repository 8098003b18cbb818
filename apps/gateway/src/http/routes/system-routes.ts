import { type Domain, InvalidInput, isEventId, type SqlReader } from "@tally/contract";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { rejection } from "../../errors/catalogue.ts";
import { ClientError } from "../../errors/reject.ts";
import type { IntakeServers } from "../../ingest/intake.ts";
import type { OwnDocument } from "../reference/documented.ts";

const Alive = Type.Object({ status: Type.Literal("ok") });

const aliveDocument: OwnDocument = {
  path: "/health/live",
  summary: "the process is alive",
  description: "`/health/ready` and `/metrics` are on the operator ports: gateway 8083, writer 8081, ranker 8082",
  errors: ["STOPPING"],
  examples: { alive: { response: { status: "ok" } } },
};

/** For load balancers. Readiness and metrics are on the operator port, because they cost more than this. */
export function addHealthRoute(app: FastifyInstance, isStopping: () => boolean): void {
  const config = { access: "open", documented: aliveDocument } as const;
  app.get("/health/live", { config, schema: { response: { 200: Alive } } }, async () => {
    if (isStopping()) throw new ClientError(rejection("STOPPING"));
    return { status: "ok" } as const;
  });
}

const expectedId = "an event id from a header Tally-Event-Id";
const Params = Type.Object({ id: Type.String({ expected: expectedId }) });
const EventState = Type.Object({
  id: Type.String(),
  domain: Type.Union([Type.String(), Type.Null()]),
  stored: Type.Boolean(),
  ranked: Type.Boolean(),
});

const eventDocument: OwnDocument = {
  path: "/events/:id",
  summary: "whether an event is stored, and counted in the rankings",
  description: "An id that no gateway ever returned looks like one that is not stored yet",
  errors: ["INVALID_INPUT", "UNREADABLE"],
  examples: {
    "the purchase of POST /purchase": {
      params: { id: "19b3105b-b31b-8059-a798-805392fb8073" },
      response: { id: "19b3105b-b31b-8059-a798-805392fb8073", domain: "purchases", stored: true, ranked: true },
    },
  },
};

/** GET /events/{id}. A queue cannot be searched: an id that no gateway returned looks like one that is not stored yet.
 */
export function addEventRoute(
  app: FastifyInstance,
  prefix: string,
  domains: readonly Domain[],
  { database, rankings }: Pick<IntakeServers, "database" | "rankings">,
): void {
  const config = { access: "anyKey", documented: eventDocument } as const;
  const options = { config, schema: { params: Params, response: { 200: EventState } } };
  app.get<{ Params: { id: string } }>(`${prefix}/events/:id`, options, async ({ params, grant }) => {
    const id = params.id.toLowerCase();
    if (!isEventId(id)) throw new InvalidInput("id", expectedId, params.id);
    // A replica may be behind.
    const found = (await locate(domains, database.reader, id)) ?? (await locate(domains, database.writer, id));
    if (found === undefined) return { id, domain: null, stored: false, ranked: false };
    // Keys that are limited to stores may read this: only the sender knows the id, and the response names no store.
    if (grant?.may(found.domain, "read") === false)
      throw new ClientError(rejection("SCOPE_MISSING", { scope: `${found.domain}:read` }));
    return { id, domain: found.domain, stored: true, ranked: await rankings.isMarked(found.domain, found.batch) };
  });
}

async function locate(domains: readonly Domain[], reader: SqlReader, id: string) {
  for (const domain of domains) {
    const batch = await domain.store.locate(reader, id);
    if (batch !== undefined) return { domain: domain.name, batch };
  }
  return undefined;
}
