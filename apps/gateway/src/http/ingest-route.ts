import type { FastifyInstance } from "fastify";
import { encodeEvent, type Domain, type Event, type IngestRoute, type Sources } from "@tally/pipeline";
import type { GroupCommit } from "../ingest/group-commit.ts";
import { leaveTypeAside, plainText } from "./content.ts";
import { refusalOf } from "./errors.ts";
import { eventIdFor, idempotencyKey } from "./idempotency-key.ts";
import { refuse } from "./refuse.ts";

/** One request, one event: validated by the route's schemas, answered when its batch is confirmed. */
export function addIngestRoute(
  app: FastifyInstance,
  path: string,
  { errorKey }: Domain,
  route: IngestRoute<Event>,
  commit: GroupCommit,
  sources: Sources,
): void {
  const { params, body, status, text } = route;
  const ignoresBody = body === "ignored";
  const options = {
    config: { errorKey, ignoresBody },
    schema: { params, ...(ignoresBody ? {} : { body }) },
    ...(ignoresBody ? { onRequest: leaveTypeAside } : {}),
  };
  app.post(path, options, async (request, reply) => {
    const key = idempotencyKey(request.headers["idempotency-key"]);
    if (route.requires !== undefined) await route.requires(request.params, sources);
    const id = eventIdFor(() => route.scope(request.params, request.body), key);
    const event = route.toEvent(id, request.params, request.body);
    const outcome = await commit.add(encodeEvent(event));
    if (outcome !== "confirmed") return refuse(reply, refusalOf(outcome));
    reply.code(status).header("tally-event-id", event.id);
    return text === undefined ? reply.send() : reply.type(plainText).send(text);
  });
}
