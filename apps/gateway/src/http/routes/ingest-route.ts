import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { encodeEvent, eventIdOfKey, newEventId, type Event, type IngestRoute } from "@tally/pipeline";
import type { RouteAccess } from "../../admission/route-access.ts";
import { plainText } from "../body/content.ts";
import type { Served } from "../../serve-domain.ts";
import { refusalOfOutcome } from "../../errors/client-error.ts";
import { idempotencyKey, keyHeader } from "./idempotency-key.ts";
import { refuse } from "../../errors/refuse.ts";

/** One request, one event: validated by the route's schemas. Responds when its batch is confirmed. */
export function addIngestRoute(
  app: FastifyInstance,
  path: string,
  route: IngestRoute<Event>,
  { domain, commit, keys, sources }: Served,
): void {
  const { params, body, status, text } = route;
  const ignoresBody = body === "ignored";
  const access: RouteAccess = {
    domain: domain.name,
    action: "write",
    storeOf: (request) => route.storeOf?.(request.params, request.body),
  };
  const options = {
    config: { errorKey: domain.errorKey, access, ignoresBody, isShort: true },
    schema: { params, ...(ignoresBody ? {} : { body }) },
  };

  const accept = (event: Event, reply: FastifyReply): void =>
    commit.add(encodeEvent(event), (outcome) => {
      try {
        if (outcome !== "confirmed") return void refuse(reply, refusalOfOutcome(outcome));
        reply.code(status).header("tally-event-id", event.id);
        if (text === undefined) reply.send();
        else reply.type(plainText).send(text);
      } catch (error) {
        fail(reply, error);
      }
    });

  async function acceptAfterChecks(key: string | undefined, request: FastifyRequest, reply: FastifyReply) {
    if (route.requires !== undefined) await route.requires(request.params, sources);
    const id = key === undefined ? newEventId() : eventIdOfKey(route.scope(request.params, request.body), key);
    const event = route.toEvent(id, request.params, request.body);
    if (key !== undefined) await keys.bind(id, keys.contentOf(event), keyHeader, event.id);
    accept(event, reply);
  }

  app.post(path, options, (request, reply) => {
    const key = idempotencyKey(request.headers["idempotency-key"]);
    // The common case creates no promise.
    if (key === undefined && route.requires === undefined)
      accept(route.toEvent(newEventId(), request.params, request.body), reply);
    else acceptAfterChecks(key, request, reply).catch((error: unknown) => fail(reply, error));
  });
}

function fail(reply: FastifyReply, error: unknown): void {
  reply.send(error instanceof Error ? error : new Error(String(error)));
}
