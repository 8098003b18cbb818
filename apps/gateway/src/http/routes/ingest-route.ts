import type { FastifyInstance } from "fastify";
import { eventIdOfKey, newEventId, type Event, type IngestRoute } from "@tally/pipeline";
import type { RouteAccess } from "../../admission/route-access.ts";
import { ignoreType, plainText } from "../body/content.ts";
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
    config: { errorKey: domain.errorKey, access, ignoresBody },
    schema: { params, ...(ignoresBody ? {} : { body }) },
    ...(ignoresBody ? { onRequest: ignoreType } : {}),
  };
  app.post(path, options, async (request, reply) => {
    const key = idempotencyKey(request.headers["idempotency-key"]);
    if (route.requires !== undefined) await route.requires(request.params, sources);
    const id = key === undefined ? newEventId() : eventIdOfKey(route.scope(request.params, request.body), key);
    const event = route.toEvent(id, request.params, request.body);
    if (key !== undefined) await keys.bind(id, keys.contentOf(event), keyHeader, event.id);
    const outcome = await commit.add(event);
    if (outcome !== "confirmed") return refuse(reply, refusalOfOutcome(outcome));
    reply.code(status).header("tally-event-id", event.id);
    return text === undefined ? reply.send() : reply.type(plainText).send(text);
  });
}
