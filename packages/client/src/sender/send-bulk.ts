import { attempt, type Attempt } from "../retry/attempt.ts";
import { isRetriable, retryAfterMs } from "../retry/retry-delay.ts";
import { messageOf, resultsOf, type EntryResult } from "./bulk-results.ts";

/** What a bulk request has led to. */
export type BulkOutcome =
  /** Each entry has its result. `retryAfterMs` is for those that may be sent again. */
  | { readonly kind: "results"; readonly results: readonly EntryResult[]; readonly retryAfterMs: number | undefined }
  /** Nothing is known of the entries: send all again later. */
  | {
      readonly kind: "later";
      readonly reason: string;
      readonly cause?: unknown;
      readonly retryAfterMs: number | undefined;
    }
  /** The request is too large for this gateway or its rate limit. Nothing is stored. */
  | { readonly kind: "tooLarge"; readonly status: number; readonly reason: string }
  /** No request of this client will be accepted. Nothing is stored. */
  | { readonly kind: "refused"; readonly status: number; readonly reason: string };

/** Sends purchases, one JSON text each, in one `POST /purchases`. Each has its own idempotencyKey. Never rejects; aborted, it is "later". */
export async function sendBulk(texts: readonly string[], request: Attempt): Promise<BulkOutcome> {
  let response: Response;
  let body: string;
  try {
    // Lines, because the gateway reads each by itself: one that it cannot read does not affect the others.
    response = await attempt({ ...request, init: { ...request.init, body: texts.join("\n") } });
    body = await response.text();
  } catch (error) {
    return { kind: "later", reason: innermostReason(error), cause: error, retryAfterMs: undefined };
  }
  const { status } = response;
  const after = retryAfterMs(response.headers);
  const results = resultsOf(body, texts.length);
  if (results !== undefined) return { kind: "results", results, retryAfterMs: after };
  const reason = `${status} ${messageOf(body) ?? "without the body of a gateway"}`;
  if (isRetriable(status)) return { kind: "later", reason, retryAfterMs: after };
  // A 2xx without results is not from a gateway: the login page of a network, for example.
  if (response.ok) return { kind: "later", reason, retryAfterMs: undefined };
  return { kind: status === 413 ? "tooLarge" : "refused", status, reason };
}

/** fetch says only "fetch failed"; its cause says why. */
function innermostReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return innermostReason(error.cause);
  // Where a name has several addresses, the error has no message.
  return error.message || ("code" in error ? String(error.code) : error.name);
}
