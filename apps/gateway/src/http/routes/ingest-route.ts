import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { encodeEvent, eventIdOfKey, firstProblem, InvalidInput, newEventId, parseJsonBody } from "@tally/contract";
import type { EncodedEvent, Event, IngestRoute } from "@tally/contract";
import { Compile } from "typebox/compile";
import { plainText } from "../body/content.ts";
import type { CommitOutcome } from "../../ingest/group-commit.ts";
import { routeConfig, type Served } from "../../serve-domain.ts";
import { forbiddenStore } from "../../admission/admission.ts";
import { reject, rejectionOfOutcome } from "../../errors/reject.ts";
import { idempotencyKey, keyHeader } from "../../keys/keys.ts";

/** One request, one event: validated by the route's schemas. Responds when its batch is confirmed. */
export function addIngestRoute(app: FastifyInstance, path: string, route: IngestRoute<Event>, served: Served): void {
  const { domain, commit, keys, sources, traceOf } = served;
  const { params, body, status, text, mayLackBody = false } = route;
  const ignoresBody = body === "ignored";
  const check = ignoresBody ? undefined : Compile(body);
  // Parses and checks a body once. Null stands for no body that is expected.
  const bodyOf = (request: FastifyRequest): unknown => {
    if (check === undefined) return undefined;
    if (request.body !== undefined && !Buffer.isBuffer(request.body)) return request.body;
    const parsed = request.body && parseJsonBody(request.body);
    const value = parsed === undefined && mayLackBody ? {} : (parsed ?? null);
    if (!check.Check(value)) throw InvalidInput.of(firstProblem(check, value));
    return (request.body = value);
  };
  const storeOf = (request: FastifyRequest) => route.storeOf?.(request.params, bodyOf(request));
  const options = {
    config: {
      ...routeConfig(domain, route, { action: "write", storeOf: route.storeOfStored ? "inRoute" : storeOf }),
      ignoresBody,
      mayLackBody,
    },
    schema: { params },
    // Its responses are short.
    compress: false as const,
  };

  const accept = (event: EncodedEvent, id: string, reply: FastifyReply): void => {
    const trace = traceOf(reply);
    const settle = (outcome: CommitOutcome): void => {
      try {
        trace?.end({ eventId: id, domain: domain.name, outcome });
        if (outcome !== "confirmed") return void reject(reply, rejectionOfOutcome(outcome));
        reply.code(status).header("tally-event-id", id);
        if (text === undefined) reply.send();
        else reply.type(plainText).send(text);
      } catch (error) {
        fail(reply, error);
      }
    };
    commit.add(event, settle, trace && { eventId: id, context: trace.context });
  };

  async function acceptAfterChecks(key: string | undefined, request: FastifyRequest, reply: FastifyReply) {
    if (route.requires !== undefined) await route.requires(request.params, sources);
    const { grant } = request;
    const store = grant?.stores && (await route.storeOfStored?.(request.params, sources));
    const forbidden = store === undefined ? undefined : forbiddenStore(grant, store);
    if (forbidden !== undefined) return void reject(reply, forbidden);
    const content = bodyOf(request);
    if (key === undefined && route.requiresKey) throw new InvalidInput(keyHeader, "the key of this event", undefined);
    const id = key === undefined ? newEventId() : eventIdOfKey(route.scope(request.params, content), key);
    let event = route.toEvent(id, request.params, content);
    await route.check?.(event, sources);
    if (key !== undefined)
      event = keys.arrivedAt(event, await keys.bind(id, keys.contentOf(event), keyHeader, event.id));
    accept(encodeEvent(event), event.id, reply);
  }

  app.post(path, options, (request, reply) => {
    const key = idempotencyKey(request.headers["idempotency-key"]);
    const isOfStored = route.storeOfStored !== undefined && request.grant?.stores !== undefined;
    if (key !== undefined || route.requires !== undefined || route.requiresKey || isOfStored) {
      acceptAfterChecks(key, request, reply).catch((error: unknown) => fail(reply, error));
      return;
    }
    // The common case creates no promise.
    const id = newEventId();
    const usual = Buffer.isBuffer(request.body) && route.encodeUsual?.(id, request.params, request.body);
    if (usual) return accept(usual, id, reply);
    const event = route.toEvent(id, request.params, bodyOf(request));
    const take = (): void => accept(encodeEvent(event), event.id, reply);
    const checking = route.check?.(event, sources);
    if (checking === undefined) take();
    else checking.then(take).catch((error: unknown) => fail(reply, error));
  });
}

function fail(reply: FastifyReply, error: unknown): void {
  reply.send(error instanceof Error ? error : new Error(String(error)));
}
