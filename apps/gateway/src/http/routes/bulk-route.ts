import type { Grant } from "@tally/access";
import type { FastifyInstance } from "fastify";
import {
  encodeEvent,
  eventIdOfKey,
  eventIdOfKeyedEntry,
  firstProblem,
  InvalidInput,
  newEventId,
  type BulkRoute,
  type Event,
} from "@tally/pipeline";
import { Compile } from "typebox/compile";
import { forbiddenStore } from "../../admission/forbidden-store.ts";
import type { RouteAccess } from "../../admission/route-access.ts";
import { KeyReused } from "../../keys/domain-keys.ts";
import { countEntries, entriesOf, inSlices, settledInSlices, type EntryReader } from "../body/bulk-entries.ts";
import type { Served } from "./domain-routes.ts";
import { refusalOf } from "../../errors/catalogue.ts";
import { idempotencyKey, keyHeader } from "./idempotency-key.ts";

/** What the response says about one entry. */
type EntryResult =
  | { readonly index: number; readonly status: number; readonly id: string }
  | { readonly index: number; readonly status: number; readonly error: string };

/** The limits of a bulk request in bytes: of the whole, and of one entry. */
export interface BulkBytes {
  readonly bodyBytesMax: number;
  readonly entryBytesMax: number;
}

/** An entry that was read and checked. `event` has no id yet, unless its content is its id. */
interface ReadEntry {
  readonly index: number;
  readonly scope: string;
  readonly key: string | undefined;
  readonly event: Event;
}

/** An entry that is no event (400), or of a store that is not the API key's (403), and why. */
interface WrongEntry {
  readonly index: number;
  readonly status: 400 | 403;
  readonly error: string;
}

// What events are made with before their id is known.
const noId = "";

/**
 * Many events in one request, a JSON array or one JSON text a line. Each entry is checked, stored and answered by itself. The status is
 * that of all entries when they agree (201, 400, 403, 422, 503), else 207.
 *
 * An Idempotency-Key of the request identifies the whole request: with other content it is rejected as a whole. An entry's own key
 * identifies its event. An entry without a key, in a request with one, is identified by the request's key and its content.
 */
export function addBulkRoute(
  app: FastifyInstance,
  path: string,
  route: BulkRoute<Event>,
  { domain, commit, keys, bulk }: Pick<Served, "domain" | "commit" | "keys" | "bulk">,
): void {
  const check = Compile(route.entry);
  const scopeOfRequests = `${domain.name}${route.path}`;

  const access: RouteAccess = {
    domain: domain.name,
    action: "write",
    storeOf: "perEntry",
    // A request with too many entries is rejected as a whole.
    costOf: ({ body }) => Math.min(countEntries(body, route.entriesMax), route.entriesMax + 1) % (route.entriesMax + 1),
  };

  function readEntry(index: number, read: EntryReader, grant: Grant | undefined): ReadEntry | WrongEntry {
    try {
      const entry = read();
      if (!check.Check(entry)) return { index, status: 400, error: firstProblem(check, entry).message };
      const forbidden = grant?.stores === undefined ? undefined : forbiddenStore(grant, route.storeOf?.(entry));
      if (forbidden !== undefined) return { index, status: 403, error: forbidden };
      return { index, scope: route.scope(entry), key: route.key(entry), event: route.toEvent(noId, entry) };
    } catch (error) {
      if (error instanceof InvalidInput) return { index, status: 400, error: error.message };
      throw error;
    }
  }

  /** Binds the key of the whole request. Two entries that are wrong for the same reason count as equal: their results are. */
  async function bindRequest(scope: string, key: string, entries: readonly (ReadEntry | WrongEntry)[]): Promise<void> {
    const contents = await inSlices(entries, (entry) =>
      "error" in entry ? [entry.error] : [entry.scope, entry.key ?? null, keys.contentOf(entry.event)],
    );
    await keys.bind(eventIdOfKey(scope, key), JSON.stringify(contents), keyHeader);
  }

  async function take({ index, key, event }: ReadEntry, id: string): Promise<EntryResult> {
    try {
      if (key !== undefined)
        await keys.bind(id, keys.contentOf(event), "idempotencyKey", event.id === noId ? id : event.id);
    } catch (error) {
      if (error instanceof KeyReused) return { index, status: 422, error: error.message };
      throw error;
    }
    const named = event.id === noId ? { ...event, id } : event;
    const outcome = await commit.add(encodeEvent(named));
    if (outcome === "confirmed") return { index, status: 201, id: named.id };
    const { status, message } = refusalOf(outcome);
    return { index, status, error: message };
  }

  const config = { errorKey: domain.errorKey, readsEntries: true, access };
  app.post(path, { config, bodyLimit: bulk.bodyBytesMax }, async (request, reply) => {
    const { grant } = request;
    const requestKey = idempotencyKey(request.headers["idempotency-key"]);
    const readers = entriesOf(request.body, { entriesMax: route.entriesMax, entryBytesMax: bulk.entryBytesMax });
    const entries = await inSlices(readers, (read, index) => readEntry(index, read, grant));
    // Clients with other API keys may choose the same key for another request: both the check and the ids depend on the API key.
    const scope = grant === undefined ? scopeOfRequests : `${scopeOfRequests}/${grant.keyId}`;
    const hasEvents = entries.some((entry) => !("error" in entry));
    if (requestKey !== undefined && hasEvents) await bindRequest(scope, requestKey, entries);
    const idOf = idsOfEntries(requestKey === undefined ? undefined : `${scope}:${requestKey}`, (event) =>
      keys.contentOf(event),
    );
    const results = await settledInSlices(entries, async (entry): Promise<EntryResult> =>
      "error" in entry ? entry : take(entry, idOf(entry)),
    );
    const statuses = new Set(results.map((result) => result.status));
    const [status = 500] = statuses.size === 1 ? statuses : [207];
    if (statuses.has(503)) reply.header("retry-after", 2);
    if (status >= 400) reply.server.onRefused(status);
    const accepted = results.filter((result) => result.status === 201).length;
    return reply.code(status).send({ accepted, refused: results.length - accepted, results });
  });
}

/** Gives each entry of one request its id; call it once for each, in their order. */
function idsOfEntries(
  requestKey: string | undefined,
  contentOf: (event: Event) => string,
): (entry: ReadEntry) => string {
  const seen = new Map<string, number>();
  return ({ scope, key, event }) => {
    if (key !== undefined) return eventIdOfKey(scope, key);
    if (requestKey === undefined) return newEventId();
    const content = contentOf(event);
    const name = JSON.stringify([scope, content]);
    const equalBefore = seen.get(name) ?? 0;
    seen.set(name, equalBefore + 1);
    return eventIdOfKeyedEntry({ requestKey, scope, content, equalBefore });
  };
}
