import { actions, type Grant } from "@tally/access";
import { type Domain, InvalidInput, isEventId, type SqlReader } from "@tally/contract";
import { findLetterHead } from "@tally/database";
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
  state: Type.Enum(["pending", "parked", "rejected", "stored"]),
  stored: Type.Boolean(),
  ranked: Type.Boolean(),
  reason: Type.Optional(Type.String()),
});

const eventDocument: OwnDocument = {
  path: "/events/:id",
  summary: "whether an event is stored, and counted in the rankings",
  description:
    "`parked`: it waits for another event, such as a refund for its purchase. `rejected`: it is a dead letter. Both have a `reason`, unless the API key is limited to stores. An id that no gateway returned, or of a domain without a scope of the key, is `pending`",
  errors: ["INVALID_INPUT", "UNREADABLE"],
  examples: {
    "the purchase of POST /purchase": {
      params: { id: "19b3105b-b31b-8059-a798-805392fb8073" },
      response: {
        id: "19b3105b-b31b-8059-a798-805392fb8073",
        domain: "purchases",
        state: "stored",
        stored: true,
        ranked: true,
      },
    },
  },
};

/** GET /events/{id}. A queue cannot be searched: an id that no gateway returned is pending. */
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
    const unstored = { id, stored: false, ranked: false } as const;
    // A replica may be behind.
    const found =
      (await locate(domains, database.reader, id)) ??
      (await locate(domains, database.writer, id)) ??
      (await findLetterHead(database.writer, id));
    // The event of a replayed letter waits in the queue again.
    if (found === undefined || ("state" in found && found.state === "replayed") || isForeign(found.domain, grant))
      return { ...unstored, domain: null, state: "pending" } as const;
    const { domain } = found;
    // Keys that are limited to stores may read this, without the reason: it may say what another store sold.
    if (grant?.may(domain, "read") === false)
      throw new ClientError(rejection("SCOPE_MISSING", { scope: `${domain}:read` }));
    if ("state" in found) {
      const reason = grant?.stores === undefined && { reason: found.reason };
      return { ...unstored, domain, state: found.state === "parked" ? "parked" : "rejected", ...reason } as const;
    }
    const ranked = await rankings.isMarked(domain, found.batch);
    return { id, domain, state: "stored", stored: true, ranked } as const;
  });
}

/** Whether a key has no scope of a domain. An id may be made of a client's key, so it is not said what others sent. */
function isForeign(domain: string, grant: Grant | undefined): boolean {
  return grant !== undefined && !actions.some((action) => grant.may(domain, action));
}

async function locate(domains: readonly Domain[], reader: SqlReader, id: string) {
  for (const domain of domains) {
    const batch = await domain.store.locate(reader, id);
    if (batch !== undefined) return { domain: domain.name, batch };
  }
  return undefined;
}
