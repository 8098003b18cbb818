import type { FastifyInstance } from "fastify";
import { InvalidInput, isEventId, type Domain, type SqlReader } from "@tally/contract";
import { Type } from "typebox";
import { rejection } from "../../errors/catalogue.ts";
import { ClientError } from "../../errors/client-error.ts";
import type { IntakeServers } from "../../ingest/intake.ts";
import type { OwnDocument } from "../reference/documented.ts";

const expectedId = "an event id from a header Tally-Event-Id";
const Params = Type.Object({ id: Type.String({ expected: expectedId }) });
const Response = Type.Object({
  id: Type.String(),
  domain: Type.Union([Type.String(), Type.Null()]),
  stored: Type.Boolean(),
  ranked: Type.Boolean(),
});

const documented: OwnDocument = {
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

/**
 * Whether an event is stored and counted in the rankings. An id that no gateway ever returned looks like one that is not stored yet,
 * because a queue cannot be searched.
 */
export function addEventRoute(
  app: FastifyInstance,
  prefix: string,
  domains: readonly Domain[],
  { database, rankings }: Pick<IntakeServers, "database" | "rankings">,
): void {
  app.get<{ Params: { id: string } }>(
    `${prefix}/events/:id`,
    { config: { access: "anyKey", documented }, schema: { params: Params, response: { 200: Response } } },
    async (request) => {
      const id = request.params.id.toLowerCase();
      if (!isEventId(id)) throw new InvalidInput("id", expectedId, request.params.id);
      // A replica may be behind.
      const found = (await locate(domains, database.reader, id)) ?? (await locate(domains, database.writer, id));
      if (found === undefined) return { id, domain: null, stored: false, ranked: false };
      // Keys that are limited to stores may read this: only the sender knows the id, and the response names no store.
      if (request.grant?.may(found.domain, "read") === false) {
        throw new ClientError(rejection("SCOPE_MISSING", { scope: `${found.domain}:read` }));
      }
      return { id, domain: found.domain, stored: true, ranked: await rankings.isMarked(found.domain, found.batch) };
    },
  );
}

async function locate(domains: readonly Domain[], reader: SqlReader, id: string) {
  for (const domain of domains) {
    const batch = await domain.store.locate(reader, id);
    if (batch !== undefined) return { domain: domain.name, batch };
  }
  return undefined;
}
