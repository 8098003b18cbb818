import { attempt, type Attempt, isRetriable, retryAfterMs } from "../retry/retrying-fetch.ts";

/** What a bulk request has led to. */
export type BulkOutcome =
  /** Each entry has its result. `retryAfterMs` is for those that may be sent again. */
  | { readonly kind: "results"; readonly results: readonly EntryResult[]; readonly retryAfterMs: number | undefined }
  /** Nothing is known of the entries: send all again later. */
  | {
      readonly kind: "later";
      /** undefined: there was no complete response. */
      readonly status: number | undefined;
      readonly reason: string;
      readonly cause?: unknown;
      readonly retryAfterMs: number | undefined;
    }
  /** The request is too large for this gateway or its rate limit. Nothing is stored. */
  | { readonly kind: "tooLarge"; readonly status: number; readonly reason: string }
  /** No request of this client will be accepted. Nothing is stored. */
  | { readonly kind: "stopped"; readonly status: number; readonly reason: string };

type ReadResults = (body: string, count: number, response: Response) => readonly EntryResult[] | undefined;

/** Sends entries with own idempotencyKeys in one POST. Never rejects; aborted, it is "later". */
export async function sendBulk(
  texts: readonly string[],
  request: Attempt,
  read: ReadResults = resultsOf,
): Promise<BulkOutcome> {
  let response: Response;
  let body: string;
  try {
    // Lines, because the gateway reads each by itself: one that it cannot read does not affect the others.
    response = await attempt({ ...request, init: { ...request.init, body: texts.join("\n") } });
    body = await response.text();
  } catch (error) {
    return { kind: "later", status: undefined, reason: innermostReason(error), cause: error, retryAfterMs: undefined };
  }
  const { status } = response;
  const after = retryAfterMs(response.headers);
  const results = read(body, texts.length, response);
  if (results !== undefined) return { kind: "results", results, retryAfterMs: after };
  const message = messageOf(body);
  const reason = `${status} ${message ?? "without the body of a gateway"}`;
  if (isRetriable(status)) return { kind: "later", status, reason, retryAfterMs: after };
  // Also from a proxy: it needs smaller requests.
  if (status === 413) return { kind: "tooLarge", status, reason };
  // Not from a gateway: the login page of a network, or a proxy whose gateway is away. It says nothing about this
  // client.
  if (response.ok || message === undefined) return { kind: "later", status, reason, retryAfterMs: after };
  return { kind: "stopped", status, reason };
}

/** fetch says only "fetch failed"; its cause says why. */
function innermostReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return innermostReason(error.cause);
  // Where a name has several addresses, the error has no message.
  return error.message || ("code" in error ? String(error.code) : error.name);
}

/** What the gateway says of one entry of a bulk request. */
export type EntryResult =
  | { readonly status: 201; readonly id: string }
  | { readonly status: number; readonly error: string };

/** The results of `count` entries, in their order. undefined: the body is not such a list, as from a proxy. */
export function resultsOf(body: string, count: number): readonly EntryResult[] | undefined {
  const results = fieldOf(parsed(body), "results");
  if (!Array.isArray(results) || results.length !== count) return undefined;
  const read = results.map((one: unknown, index) => (fieldOf(one, "index") === index ? resultOf(one) : undefined));
  const known = read.filter((one) => one !== undefined);
  return known.length === count ? known : undefined;
}

/** The sentence in the error body of a gateway. Some domains name it `msg`. */
export function messageOf(body: string): string | undefined {
  const json = parsed(body);
  const message = fieldOf(json, "message") ?? fieldOf(json, "msg");
  return typeof message === "string" ? message : undefined;
}

function resultOf(entry: unknown): EntryResult | undefined {
  const [status, id, error] = ["status", "id", "error"].map((name) => fieldOf(entry, name));
  if (typeof status !== "number") return undefined;
  if (status === 201) return typeof id === "string" ? { status, id } : undefined;
  return typeof error === "string" ? { status, error } : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Not JSON, so not from a gateway.
    return undefined;
  }
}
