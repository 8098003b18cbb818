import { DatabaseError } from "@tally/database";
import { InvalidInput, NotFound } from "@tally/contract";
import { RankingsUnavailable } from "@tally/redis";
import { errorCodes } from "fastify";
import { routing } from "../http/routes/allowed-methods.ts";
import type { CommitOutcome } from "../ingest/group-commit.ts";
import { rejection, rejectionWith, type ErrorCode, type Rejection } from "./catalogue.ts";

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
  if (isMistake(error)) return rejection("BAD_REQUEST", { problem: error.message });
  return undefined;
}

/** Whether Fastify blames the client for an error. */
function isMistake(error: unknown): error is Error {
  const status: unknown = error instanceof Error ? Reflect.get(error, "statusCode") : undefined;
  return typeof status === "number" && status >= 400 && status < 500;
}

/** Whether a database is unreachable, frozen or stopping. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === "unavailable";
}
