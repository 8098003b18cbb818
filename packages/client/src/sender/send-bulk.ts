import { fieldOf, parsed } from "../json.ts";
import { attempt, type Attempt, isRetriable, retryAfterMs } from "../retry/retrying-fetch.ts";

/** One line of a bulk request. */
interface BulkEntry {
  readonly text: string;
}

/** What a bulk request has led to. */
export type BulkOutcome<Entry> =
  /** At least one entry is accepted or rejected. `again`: send these again after `retryAfterMs`. */
  | {
      readonly kind: "results";
      readonly accepted: readonly (Entry & Accepted)[];
      readonly rejected: readonly (Entry & Rejected)[];
      readonly again: readonly Entry[];
      readonly retryAfterMs: number | undefined;
    }
  /** Send all entries again later: each of them may be accepted then, or nothing is known of them. */
  | {
      readonly kind: "later";
      /** undefined: there was no complete response. */
      readonly status: number | undefined;
      readonly reason: string;
      readonly cause?: unknown;
      readonly retryAfterMs: number | undefined;
    }
  /** The request is too large for this gateway or its rate limit. Nothing is stored: send fewer entries. */
  | { readonly kind: "tooLarge" }
  /** No request of this client will be accepted. Nothing is stored. */
  | { readonly kind: "stopped"; readonly status: number; readonly reason: string };

/** The first entries that fit into one request: at least one, unless there is none. */
export function headOf<Entry extends BulkEntry>(
  entries: readonly Entry[],
  { entriesMax, bytesMax }: Readonly<Record<"entriesMax" | "bytesMax", number>>,
) {
  let bytes = 0;
  const end = entries.findIndex(({ text }, count) => {
    // One more for the line break.
    bytes += Buffer.byteLength(text) + 1;
    return count > 0 && (count >= entriesMax || bytes > bytesMax);
  });
  return entries.slice(0, end < 0 ? entries.length : end);
}

type ReadResults = (body: string, count: number, response: Response) => readonly EntryResult[] | undefined;

/** Sends entries with own idempotencyKeys in one POST. Never rejects; aborted, it is "later". */
export async function sendBulk<Entry extends BulkEntry>(
  entries: readonly Entry[],
  request: Attempt,
  read: ReadResults = resultsOf,
): Promise<BulkOutcome<Entry>> {
  let response: Response;
  let body: string;
  try {
    // Lines, because the gateway reads each by itself: one that it cannot read does not affect the others.
    const lines = entries.map(({ text }) => text).join("\n");
    response = await attempt({ ...request, init: { ...request.init, body: lines } });
    body = await response.text();
  } catch (error) {
    return { kind: "later", status: undefined, reason: innermostReason(error), cause: error, retryAfterMs: undefined };
  }
  const { status } = response;
  const after = retryAfterMs(response.headers);
  const results = read(body, entries.length, response);
  if (results !== undefined) return outcomeOf(entries, results, after);
  const message = messageOf(body);
  const reason = `${status} ${message ?? "without the body of a gateway"}`;
  if (isRetriable(status)) return { kind: "later", status, reason, retryAfterMs: after };
  // A proxy may send it, too: it needs smaller requests.
  if (status === 413 && entries.length > 1) return { kind: "tooLarge" };
  if (status === 413) return outcomeOf(entries, [{ status, error: reason }], after);
  // Not from a gateway: the login page of a network, or a proxy whose gateway is away. It says nothing about this
  // client.
  if (response.ok || message === undefined) return { kind: "later", status, reason, retryAfterMs: after };
  return { kind: "stopped", status, reason };
}

/** A slow uplink may deliver a smaller request in time. */
export function isTimeout({ status, cause }: Extract<BulkOutcome<never>, { readonly kind: "later" }>): boolean {
  return status === 408 || (cause instanceof Error && cause.name === "TimeoutError");
}

function outcomeOf<Entry>(
  entries: readonly Entry[],
  results: readonly EntryResult[],
  afterMs: number | undefined,
): BulkOutcome<Entry> {
  const accepted: (Entry & Accepted)[] = [];
  const rejected: (Entry & Rejected)[] = [];
  const again: Entry[] = [];
  for (const [index, entry] of entries.entries()) {
    const result = results[index];
    if (result === undefined) continue;
    if ("id" in result) accepted.push({ ...entry, ...result });
    else if (isRetriable(result.status)) again.push(entry);
    else rejected.push({ ...entry, ...result });
  }
  const [first] = results;
  if (again.length < entries.length || first === undefined || "id" in first)
    return { kind: "results", accepted, rejected, again, retryAfterMs: afterMs };
  return { kind: "later", status: first.status, reason: `${first.status} ${first.error}`, retryAfterMs: afterMs };
}

/** fetch says only "fetch failed"; its cause says why. */
function innermostReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return innermostReason(error.cause);
  // Where a name has several addresses, the error has no message.
  return error.message || ("code" in error ? String(error.code) : error.name);
}

/** What the gateway says of one entry of a bulk request. */
type EntryResult = Accepted | Rejected;

interface Accepted {
  readonly status: 201;
  readonly id: string;
}

interface Rejected {
  readonly status: number;
  readonly error: string;
}

/** The results of `count` entries, in their order. undefined: the body is not such a list, as from a proxy. */
function resultsOf(body: string, count: number): readonly EntryResult[] | undefined {
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
