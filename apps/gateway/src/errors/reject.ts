import { type Domain, InvalidInput, NotFound } from "@tally/contract";
import { DatabaseError } from "@tally/database";
import { RankingsUnavailable } from "@tally/redis";
import { errorCodes, type FastifyReply } from "fastify";
import { routing } from "../http/routes/allowed-methods.ts";
import type { CommitOutcome } from "../ingest/group-commit.ts";
import { type ErrorCode, type Rejection, rejection, rejectionWith } from "./catalogue.ts";

/** Responds with an error under the key of the route's domain, {"message": …} or {"msg": …}, and counts it. */
export function reject(reply: FastifyReply, { code, status, message, retryAfterSeconds }: Rejection): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header("retry-after", retryAfterSeconds);
  reply.server.onRejected(code);
  const { config } = reply.routeOptions;
  // Before the handler of its route has run.
  if (config.times !== undefined) reply.raw.route = config.times;
  const key = config.errorKey ?? reply.server.errorKeyOf(reply.request.url);
  return reply.code(status).send({ [key]: message });
}

/** Error key for a path without a route: the key of the domain that owns the first path segment. */
export function errorKeysOf(domains: readonly Domain[], mounts: readonly { readonly prefix: string }[]) {
  const words = domains.flatMap(({ errorKey, routes, queries }) =>
    [...routes, ...queries].map(({ path }) => [path.split("/")[1] ?? "", errorKey] as const),
  );
  const starts = mounts.flatMap(({ prefix }) => words.map(([word, key]) => [`${prefix}/${word}/`, key] as const));
  const keys = Array.from(new Map(starts));
  return (url: string): Domain["errorKey"] => {
    const path = `${url.split("?", 1).join()}/`.replaceAll(/\/{2,}/g, "/");
    return keys.find(([start]) => path.startsWith(start))?.[1] ?? "message";
  };
}

declare module "fastify" {
  interface FastifyInstance {
    /** Called once for each response with an error. */
    readonly onRejected: (code: ErrorCode) => void;
    /** The key of an error, by the URL of a request that has no route. */
    readonly errorKeyOf: (url: string) => "message" | "msg";
  }
  interface FastifyContextConfig {
    errorKey?: "message" | "msg";
    /** Accepts a body of any type, and drops it. */
    ignoresBody?: boolean;
    /** An empty body of any type is no body. */
    mayLackBody?: boolean;
    /** The route parses the body as a form. */
    readsForm?: boolean;
    /** The route parses the entries of a BulkBody. */
    readsEntries?: boolean;
  }
}

/** A rejection as an error, for code that cannot respond itself. */
export class ClientError extends Error {
  readonly rejection: Rejection;
  readonly code: ErrorCode;

  constructor(rejected: Rejection) {
    super(rejected.message);
    this.rejection = rejected;
    this.code = rejected.code;
  }
}

const codeOfOutcome = { busy: "BUSY", unavailable: "BROKER_UNAVAILABLE", unknown: "NOT_CONFIRMED" } as const;

/** The rejection of an event that was not confirmed. The client may send it again. */
export function rejectionOfOutcome(outcome: Exclude<CommitOutcome, "confirmed">): Rejection {
  return rejection(codeOfOutcome[outcome]);
}

/** The rejection for an error thrown in or before a handler; undefined for a bug of the gateway. */
export function rejectionOfError(error: unknown): Rejection | undefined {
  if (error instanceof ClientError) return error.rejection;
  if (error instanceof InvalidInput || error instanceof NotFound) return rejectionWith(error.code, error.message);
  if (error instanceof RankingsUnavailable || isUnavailable(error)) return rejection("UNREADABLE");
  if (error instanceof errorCodes.FST_ERR_BAD_URL) return rejection("PATH_ENCODING");
  if (error instanceof errorCodes.FST_ERR_MAX_PARAM_LENGTH)
    return rejection("PATH_TOO_LONG", { max: routing.maxParamLength });
  if (error instanceof errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE) return rejection("CONTENT_TYPE");
  // Fastify blames the client for these.
  const status: unknown = error instanceof Error ? Reflect.get(error, "statusCode") : undefined;
  if (!(error instanceof Error) || typeof status !== "number" || status < 400 || status >= 500) return undefined;
  return rejection("BAD_REQUEST", { problem: error.message });
}

/** Whether a database is unreachable, frozen or stopping. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === "unavailable";
}
