import { DatabaseError } from "@tally/database";
import { InvalidInput, NotFound } from "@tally/contract";
import { RankingsUnavailable } from "@tally/redis";
import { errorCodes } from "fastify";
import { routing } from "../http/routes/allowed-methods.ts";
import type { CommitOutcome } from "../ingest/group-commit.ts";
import { refusal, refusalWith, type ErrorCode, type Refusal } from "./catalogue.ts";

/** A refusal as an error, for code that cannot respond itself. */
export class ClientError extends Error {
  readonly refusal: Refusal;
  readonly code: ErrorCode;

  constructor(refused: Refusal) {
    super(refused.message);
    this.refusal = refused;
    this.code = refused.code;
  }
}

const codeOfOutcome = { busy: "BUSY", unavailable: "BROKER_UNAVAILABLE", unknown: "NOT_CONFIRMED" } as const;

/** The refusal of an event that was not confirmed. The client may send it again. */
export function refusalOfOutcome(outcome: Exclude<CommitOutcome, "confirmed">): Refusal {
  return refusal(codeOfOutcome[outcome]);
}

/** The refusal for an error thrown in or before a handler; undefined for a bug of the gateway. */
export function refusalOfError(error: unknown): Refusal | undefined {
  if (error instanceof ClientError) return error.refusal;
  if (error instanceof InvalidInput || error instanceof NotFound) return refusalWith(error.code, error.message);
  if (error instanceof RankingsUnavailable || isUnavailable(error)) return refusal("UNREADABLE");
  if (error instanceof errorCodes.FST_ERR_BAD_URL) return refusal("PATH_ENCODING");
  if (error instanceof errorCodes.FST_ERR_MAX_PARAM_LENGTH)
    return refusal("PATH_TOO_LONG", { max: routing.maxParamLength });
  if (error instanceof errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE) return refusal("CONTENT_TYPE");
  if (isMistake(error)) return refusal("BAD_REQUEST", { problem: error.message });
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
