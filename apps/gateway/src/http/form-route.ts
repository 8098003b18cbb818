import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { encodeEvent, InvalidInput, type Domain, type Event, type FormRoute } from "@tally/pipeline";
import type { Finder } from "../find/finder.ts";
import type { GroupCommit } from "../ingest/group-commit.ts";
import { UnsupportedContent } from "./content.ts";
import { refusalOf } from "./errors.ts";
import { readForm } from "./form.ts";
import { eventIdFor, idempotencyKey } from "./idempotency-key.ts";
import { refuse } from "./refuse.ts";

/** What forms may take. */
export interface FormLimits {
  readonly partBytesMax: number;
  readonly budget: (bodyBytesMax: number) => onRequestAsyncHookHandler;
}

// Small parts, names, boundaries.
const besidesBytes = 65_536;

/** One form, one event: answered when its batch is confirmed, and found from then on. */
export function addFormRoute(
  app: FastifyInstance,
  path: string,
  { errorKey }: Domain,
  route: FormRoute<Event>,
  { commit, finder, forms }: { readonly commit: GroupCommit; readonly finder: Finder; readonly forms: FormLimits },
): void {
  const { params, response, status } = route;
  const bodyLimit = forms.partBytesMax + besidesBytes;
  const options = {
    config: { errorKey, readsForm: true },
    bodyLimit,
    onRequest: forms.budget(bodyLimit),
    schema: { params, response: { [status]: response } },
  };
  app.post(path, options, async (request, reply) => {
    const key = idempotencyKey(request.headers["idempotency-key"]);
    const form = await formOf(request.headers["content-type"], request.body, forms.partBytesMax);
    const id = eventIdFor(() => route.scope(request.params), key);
    const event = route.toEvent(id, request.params, form);
    const encoded = encodeEvent(event);
    const outcome = await commit.add(encoded);
    if (outcome !== "confirmed") return refuse(reply, refusalOf(outcome));
    // Of several with one key the first is the event, and that may be another one.
    if (key === undefined) finder.remember(event, encoded.size);
    return reply.code(status).header("tally-event-id", event.id).send(route.answer(event));
  });
}

async function formOf(contentType: string | undefined, body: unknown, partBytesMax: number) {
  if (!Buffer.isBuffer(body) || body.length === 0) throw new InvalidInput("body", "multipart/form-data", undefined);
  if (contentType === undefined || !/^multipart\/form-data *(;|$)/i.test(contentType)) {
    throw new UnsupportedContent("multipart/form-data", contentType);
  }
  return readForm(contentType, body, partBytesMax);
}
