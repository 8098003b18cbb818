import type { CommitOutcome } from "../ingest/group-commit.ts";

/** An answer that is not the one the client hoped for: a status, a sentence, and when to come again. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/** What a client is told when its event was not confirmed. All three may be sent again. */
export function refusalOf(outcome: Exclude<CommitOutcome, "confirmed">): Refusal {
  switch (outcome) {
    case "busy":
      return {
        status: 503,
        message: "not taken: too many events are waiting; send it again later",
        retryAfterSeconds: 1,
      };
    case "unavailable":
      return {
        status: 503,
        message: "not taken: the message broker takes nothing at the moment; send it again later",
        retryAfterSeconds: 2,
      };
    case "unknown":
      return {
        status: 503,
        message: "not confirmed in time: it may be stored or not; send it again with the same Idempotency-Key",
        retryAfterSeconds: 2,
      };
  }
}

// What Fastify finds wrong before a route is reached, in our words. Its other 4xx keep their own.
const framework: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: "path: expected valid percent-encoding",
  FST_ERR_MAX_PARAM_LENGTH: "path: expected shorter values",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "Content-Type: expected the type of a body, as application/json",
};

// What is asked of a database or a Redis that is away, frozen or stopping.
const unreadable: ReadonlySet<string> = new Set([
  "DATABASE_UNAVAILABLE",
  "DATABASE_TIMEOUT",
  "DATABASE_CLOSED",
  "RANKINGS_UNAVAILABLE",
]);

/** The refusal that an error thrown in or before a handler becomes; undefined for a surprise, which is ours: 500. */
export function refusalOfError(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const code: unknown = Reflect.get(error, "code");
  if (code === "INVALID_INPUT") return { status: 400, message: error.message };
  if (code === "KEY_REUSED") return { status: 422, message: error.message };
  if (code === "NOT_FOUND") return { status: 404, message: error.message };
  if (code === "NOT_YET" || code === "READS_FULL" || code === "BODIES_FULL")
    return { status: 503, message: error.message, retryAfterSeconds: 1 };
  if (typeof code === "string" && unreadable.has(code)) {
    return { status: 503, message: "cannot be read at the moment; ask again later", retryAfterSeconds: 2 };
  }
  const status: unknown = Reflect.get(error, "statusCode");
  if (typeof status === "number" && status >= 400 && status < 500) {
    return { status, message: (typeof code === "string" ? framework[code] : undefined) ?? error.message };
  }
  return undefined;
}
