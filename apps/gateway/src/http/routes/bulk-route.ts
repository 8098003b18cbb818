import type { Grant } from "@tally/access";
import type { FastifyInstance, FastifyReply } from "fastify";
import { encodeEvent, eventIdOfKey, eventIdOfKeyedEntry, firstProblem, InvalidInput } from "@tally/contract";
import { newEventId } from "@tally/contract";
import type { BulkRoute, Event } from "@tally/contract";
import type { Step } from "@tally/telemetry";
import { Compile } from "typebox/compile";
import { forbiddenStore } from "../../admission/admission.ts";
import { rejection, rejectionWith, type Rejection } from "../../errors/catalogue.ts";
import { ClientError, reject, rejectionOfError, rejectionOfOutcome } from "../../errors/reject.ts";
import { countEntries, entriesOf, inSlices, settledInSlices, type EntryReader } from "../body/bulk-entries.ts";
import { committed } from "../../ingest/intake.ts";
import { routeConfig, type Served } from "../../serve-domain.ts";
import { idempotencyKey, keyHeader, type DomainKeys } from "../../keys/keys.ts";

/** An entry that was read and checked. `event` has no id yet, unless its content is its id. */
interface ReadEntry {
  readonly index: number;
  readonly scope: string;
  readonly key: string | undefined;
  readonly event: Event;
}

/** `read`: unless it could not be read. */
type RejectedEntry = Readonly<{ index: number; rejected: Rejection; read?: ReadEntry }>;
type ConfirmedEntry = Readonly<{ index: number; id: string }>;

// About as much as a result with an error takes in a response.
const resultBytes = 200;
// Placeholder until the event's id is known.
const noId = "";

/** Many events in one request. Each entry is checked and stored by itself, and has its own result. The status is that
 * of all entries when they agree (201, 400, 403, 422, 503), else 207.
 *
 * With other content, a request with the same Idempotency-Key is rejected as a whole. An entry's own key identifies its
 * event. An entry without one is identified by the request's key and its content. */
export function addBulkRoute(app: FastifyInstance, path: string, route: BulkRoute<Event>, served: Served): void {
  const { domain, keys, sources, traceOf, config: limits } = served;
  const check = Compile(route.entry);
  const scopeOfRequests = `${domain.name}${route.path}`;

  type Read = ReadEntry | RejectedEntry;
  function readEntry(index: number, read: EntryReader, hasKey: boolean, grant?: Grant): Read | Promise<Read> {
    try {
      const entry = read();
      if (!check.Check(entry))
        return { index, rejected: rejectionWith("INVALID_INPUT", firstProblem(check, entry).message) };
      const forbidden = grant?.stores === undefined ? undefined : forbiddenStore(grant, route.storeOf?.(entry));
      if (forbidden !== undefined) return { index, rejected: forbidden };
      const key = route.key(entry);
      if (route.requiresKeys === true && !hasKey && key === undefined)
        throw new InvalidInput("idempotencyKey", `the key of this event, or ${keyHeader} of the request`, undefined);
      const event = route.toEvent(noId, entry);
      const accepted = { index, scope: route.scope(entry), key, event };
      const rejected = (error: unknown): Read => ({ index, rejected: rejectionOfEntry(error), read: accepted });
      return route.check?.(event, sources)?.then(() => accepted, rejected) ?? accepted;
    } catch (error) {
      return { index, rejected: rejectionOfEntry(error) };
    }
  }

  const access = routeConfig(domain, route, {
    action: "write",
    storeOf: "inRoute",
    // A request with too many entries is rejected as a whole.
    costOf: ({ body }) => countEntries(body, route.entriesMax),
  });
  app.post(
    path,
    { config: { ...access, readsEntries: true }, bodyLimit: limits.bulkBytesMax },
    async (request, reply) => {
      const { grant } = request;
      const requestKey = idempotencyKey(request.headers["idempotency-key"]);
      const readers = entriesOf(request.body, { entriesMax: route.entriesMax, entryBytesMax: limits.bodyBytesMax });
      const withinMs = limits.queryWithinMs + limits.confirmWithinMs;
      if (!app.hasRoom(reply, readers.length * resultBytes, withinMs))
        return reject(reply, rejection("RESPONSES_FULL"));
      const hasKey = requestKey !== undefined;
      const entries = await settledInSlices(readers, async (read, index) => readEntry(index, read, hasKey, grant));
      // Clients with other API keys may choose the same key for another request.
      const scope = grant === undefined ? scopeOfRequests : `${scopeOfRequests}/${grant.keyId}`;
      const hasEvents = entries.some((entry) => !("rejected" in entry));
      if (hasKey && hasEvents) await bindRequest(keys, eventIdOfKey(scope, requestKey), entries);
      // The id of a refund does not depend on the API key: a retry with another one is the same refund.
      const scopeOfIds = route.requiresKeys === true ? scopeOfRequests : scope;
      const idOf = idsOfEntries(keys, hasKey ? `${scopeOfIds}:${requestKey}` : undefined);
      const trace = traceOf(reply);
      const outcomes = await settledInSlices(entries, async (entry) =>
        "rejected" in entry ? entry : take(served, entry, idOf(entry), trace),
      );
      const rejections = outcomes.flatMap((outcome) => ("rejected" in outcome ? [outcome.rejected] : []));
      const accepted = outcomes.length - rejections.length;
      trace?.end({ domain: domain.name, accepted, refused: rejections.length });
      const results = outcomes.map(resultOf);
      return reply.code(statusOf(reply, accepted, rejections)).send({ accepted, refused: rejections.length, results });
    },
  );
}

/** Binds the key of the whole request. Whether `check` accepts an entry depends on the time of the request, so it makes no
 * difference. Entries that cannot be read for the same reason count as equal, as do their results. */
async function bindRequest(keys: DomainKeys, id: string, entries: readonly (ReadEntry | RejectedEntry)[]) {
  const contentOf = ({ scope, key, event }: ReadEntry) => [scope, key ?? null, keys.contentOf(event)];
  const contents = await inSlices(entries, (entry) => {
    if (!("rejected" in entry)) return contentOf(entry);
    return entry.read === undefined ? [entry.rejected.message] : contentOf(entry.read);
  });
  await keys.bind(id, JSON.stringify(contents), keyHeader);
}

async function take(
  { keys, commit }: Served,
  { index, key, event }: ReadEntry,
  id: string,
  trace: Step | undefined,
): Promise<ConfirmedEntry | RejectedEntry> {
  try {
    if (key !== undefined)
      await keys.bind(id, keys.contentOf(event), "idempotencyKey", event.id === noId ? id : event.id);
  } catch (error) {
    return { index, rejected: rejectionOfEntry(error) };
  }
  const named = event.id === noId ? { ...event, id } : event;
  const outcome = await committed(commit, encodeEvent(named), trace && { eventId: named.id, context: trace.context });
  return outcome === "confirmed" ? { index, id: named.id } : { index, rejected: rejectionOfOutcome(outcome) };
}

/** The status of the response, which gets Retry-After when an entry may be sent again. */
function statusOf(reply: FastifyReply, accepted: number, rejections: readonly Rejection[]): number {
  if (rejections.some(({ status }) => status === 503)) reply.header("retry-after", 2);
  const [first] = rejections;
  if (first === undefined) return 201;
  if (accepted > 0 || rejections.some(({ status }) => status !== first.status)) return 207;
  reply.server.onRejected(first.code);
  return first.status;
}

/** The rejection of one entry. Rethrows errors that fail the whole request. */
function rejectionOfEntry(error: unknown): Rejection {
  const rejected = error instanceof InvalidInput || error instanceof ClientError ? rejectionOfError(error) : undefined;
  if (rejected === undefined) throw error;
  return rejected;
}

function resultOf(outcome: ConfirmedEntry | RejectedEntry) {
  const { index } = outcome;
  if ("id" in outcome) return { index, status: 201, id: outcome.id };
  const { status, message } = outcome.rejected;
  return { index, status, error: message };
}

/** Gives each entry of one request its id; call it once for each, in their order. */
function idsOfEntries(keys: DomainKeys, requestKey: string | undefined): (entry: ReadEntry) => string {
  const seen = new Map<string, number>();
  return ({ scope, key, event }) => {
    if (key !== undefined) return eventIdOfKey(scope, key);
    if (requestKey === undefined) return newEventId();
    const content = keys.contentOf(event);
    const name = JSON.stringify([scope, content]);
    const equalBefore = seen.get(name) ?? 0;
    seen.set(name, equalBefore + 1);
    return eventIdOfKeyedEntry({ requestKey, scope, content, equalBefore });
  };
}
