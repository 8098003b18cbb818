import type { FastifyInstance } from "fastify";
import { InvalidInput, isEventId, type BatchId, type Domain, type SqlReader } from "@tally/pipeline";
import { Type } from "typebox";

export interface EventSources {
  readonly domains: readonly Domain[];
  readonly reader: SqlReader;
  readonly writer: SqlReader;
  readonly isApplied: (domain: string, batch: BatchId) => Promise<boolean>;
}

const Params = Type.Object({ id: Type.String() });
const Answer = Type.Object({
  id: Type.String(),
  domain: Type.Union([Type.String(), Type.Null()]),
  stored: Type.Boolean(),
  ranked: Type.Boolean(),
});

/**
 * Where an event is: stored or not (yet), counted in the rankings or not (yet). "Not yet" includes an id that was never
 * given out: a queue cannot be searched.
 */
export function addEventRoute(app: FastifyInstance, prefix: string, sources: EventSources): void {
  app.get<{ Params: { id: string } }>(
    `${prefix}/events/:id`,
    { config: { access: "anyKey" }, schema: { params: Params, response: { 200: Answer } } },
    async (request) => {
      const id = request.params.id.toLowerCase();
      if (!isEventId(id)) throw new InvalidInput("id", "an event id as given out in Tally-Event-Id", request.params.id);
      // A replica may be behind; what it does not have yet is looked up where it was written.
      const found =
        (await locate(sources.domains, sources.reader, id)) ?? (await locate(sources.domains, sources.writer, id));
      if (found === undefined) return { id, domain: null, stored: false, ranked: false };
      // Keys that are limited to stores may read this: the id is known only to the sender, and the answer contains no store.
      if (request.grant?.may(found.domain, "read") === false) throw new Forbidden(found.domain);
      return { id, domain: found.domain, stored: true, ranked: await sources.isApplied(found.domain, found.batch) };
    },
  );
}

/** The event belongs to a domain that the request's key may not read. */
class Forbidden extends Error {
  readonly code = "FORBIDDEN";
  readonly statusCode = 403;

  constructor(domain: string) {
    super(`expected an API key with the scope ${domain}:read`);
  }
}

async function locate(domains: readonly Domain[], reader: SqlReader, id: string) {
  for (const domain of domains) {
    const batch = await domain.store.locate(reader, id);
    if (batch !== undefined) return { domain: domain.name, batch };
  }
  return undefined;
}
