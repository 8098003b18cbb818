import type { FastifyInstance } from "fastify";
import { encodeEvent, firstProblem, InvalidInput, type BulkRoute, type Domain, type Event } from "@tally/pipeline";
import { Compile } from "typebox/compile";
import type { GroupCommit } from "../ingest/group-commit.ts";
import { Lines } from "./content.ts";
import { refusalOf } from "./errors.ts";
import { eventIdFor, idempotencyKey } from "./idempotency-key.ts";
import { parseJsonBody } from "./json-body.ts";

/** What one entry of a bulk request is told. */
type EntryResult =
  | { readonly index: number; readonly status: number; readonly id: string }
  | { readonly index: number; readonly status: number; readonly error: string };

/**
 * Many events in one request, a JSON array or one JSON text a line. Each entry is checked, stored and answered by itself.
 * The status is that of all entries when they agree (201, 400, 503), else 207. A request's Idempotency-Key counts for
 * each entry with its index, unless the entry brings its own.
 */
export function addBulkRoute(
  app: FastifyInstance,
  path: string,
  { errorKey }: Domain,
  route: BulkRoute<Event>,
  commit: GroupCommit,
): void {
  const check = Compile(route.entry);

  async function take(index: number, read: () => unknown, requestKey: string | undefined): Promise<EntryResult> {
    try {
      const entry = read();
      if (!check.Check(entry)) throw new InvalidEntry(firstProblem(check, entry).message);
      const scope = () => route.scope(entry);
      const ownKey = route.key(entry);
      const id = ownKey === undefined ? eventIdFor(scope, requestKey, index) : eventIdFor(scope, ownKey);
      const event = route.toEvent(id, entry);
      const outcome = await commit.add(encodeEvent(event));
      if (outcome === "confirmed") return { index, status: 201, id: event.id };
      const refusal = refusalOf(outcome);
      return { index, status: refusal.status, error: refusal.message };
    } catch (error) {
      if (error instanceof InvalidInput || error instanceof InvalidEntry) {
        return { index, status: 400, error: error.message };
      }
      throw error;
    }
  }

  app.post(path, { config: { errorKey }, bodyLimit: route.bodyBytesMax }, async (request, reply) => {
    const key = idempotencyKey(request.headers["idempotency-key"]);
    const entries = entriesOf(request.body);
    if (entries.length === 0 || entries.length > route.entriesMax) {
      throw new InvalidInput("body", `1 to ${route.entriesMax} entries`, entries.length);
    }
    const results = await Promise.all(entries.map((read, index) => take(index, read, key)));
    const statuses = new Set(results.map((result) => result.status));
    const [status = 500] = statuses.size === 1 ? statuses : [207];
    if (statuses.has(503)) reply.header("retry-after", 2);
    if (status >= 400) reply.server.onRefused(status);
    const accepted = results.filter((result) => result.status === 201).length;
    return reply.code(status).send({ accepted, refused: results.length - accepted, results });
  });
}

class InvalidEntry extends Error {
  readonly code = "INVALID_INPUT";
}

// Each entry is read when its turn comes, so that a line that is no JSON concerns that line only.
function entriesOf(body: unknown): readonly (() => unknown)[] {
  if (body instanceof Lines) return body.lines.map((line) => () => parseJsonBody(line));
  if (Array.isArray(body)) return body.map((entry: unknown) => () => entry);
  throw new InvalidInput("body", "a JSON array, or one JSON text a line as application/x-ndjson", body);
}
