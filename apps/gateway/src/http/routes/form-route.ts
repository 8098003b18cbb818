import type { FastifyInstance } from "fastify";
import { encodeEvent, eventIdOfKey, InvalidInput, newEventId, type Event, type FormRoute } from "@tally/contract";
import type { RouteAccess } from "../../admission/route-access.ts";
import { unsupported } from "../body/content.ts";
import { committed } from "../../ingest/intake.ts";
import type { Served } from "../../serve-domain.ts";
import { reject, rejectionOfOutcome } from "../../errors/reject.ts";
import { readForm } from "../body/form.ts";
import { idempotencyKey, keyHeader } from "../../keys/domain-keys.ts";

// For small parts, names and boundaries.
const besidesBytes = 65_536;

/** One form, one event. Responds when its batch is confirmed; the event is found from then on. */
export function addFormRoute(
  app: FastifyInstance,
  path: string,
  route: FormRoute<Event>,
  { domain, commit, keys, finder, traceOf, config: { formPartBytesMax } }: Served,
): void {
  const { params, response, status } = route;
  const bodyLimit = formPartBytesMax + besidesBytes;
  const access: RouteAccess = { domain: domain.name, action: "write", storeOf: () => undefined };
  const options = {
    config: { errorKey: domain.errorKey, access, readsForm: true, documented: { domain, route } },
    bodyLimit,
    schema: { params, response: { [status]: response } },
  };
  app.post(path, options, async (request, reply) => {
    const key = idempotencyKey(request.headers["idempotency-key"]);
    const form = await formOf(request.headers["content-type"], request.body, formPartBytesMax);
    const id = key === undefined ? newEventId() : eventIdOfKey(route.scope(request.params), key);
    const event = route.toEvent(id, request.params, form);
    const acceptedAtMs =
      key === undefined ? Date.now() : await keys.bind(id, keys.contentOf(event), keyHeader, event.id);
    const encoded = encodeEvent(event);
    const trace = traceOf(reply);
    const outcome = await committed(commit, encoded, trace && { eventId: event.id, context: trace.context });
    trace?.end({ eventId: event.id, domain: domain.name, outcome });
    if (outcome !== "confirmed") return reject(reply, rejectionOfOutcome(outcome));
    // With a key, the event may be that of an earlier request.
    if (key === undefined) finder.remember(event, encoded.size);
    return reply.code(status).header("tally-event-id", event.id).send(route.respond(event, acceptedAtMs));
  });
}

async function formOf(contentType: string | undefined, body: unknown, partBytesMax: number) {
  if (!Buffer.isBuffer(body) || body.length === 0) throw new InvalidInput("body", "multipart/form-data", undefined);
  if (contentType === undefined || !/^multipart\/form-data *(;|$)/i.test(contentType)) {
    throw unsupported("Content-Type", "multipart/form-data", contentType);
  }
  return readForm(contentType, body, partBytesMax);
}
