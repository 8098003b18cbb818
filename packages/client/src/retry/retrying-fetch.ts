import { setTimeout as delay } from "node:timers/promises";
import { TallyClientError } from "../tally-client-error.ts";

/** How often and how long one call is tried. */
export interface RetryOptions {
  /** Attempts of one call, the first included. Default 6. */
  readonly attemptsMax?: number;
  /** For all attempts of one call together, in ms. No attempt begins later. Default 30,000. */
  readonly withinMs?: number;
  /** For one attempt, in ms. Default 15,000. */
  readonly attemptMs?: number;
  /** The delay before the second attempt, in ms; it doubles with each further one. Default 100. */
  readonly firstDelayMs?: number;
  /** The longest of these delays, in ms. `Retry-After` may ask for more. Default 5,000. */
  readonly longestDelayMs?: number;
}

type Outcome = { readonly response: Response } | { readonly error: unknown };

/** A fetch that retries after errors, timeouts and statuses of `isRetriable`. All attempts of a POST have one key. */
export function retryingFetch({
  fetch = (url, init) => globalThis.fetch(url, init),
  attemptsMax = 6,
  withinMs = 30_000,
  attemptMs = 15_000,
  firstDelayMs = 100,
  longestDelayMs = 5000,
}: RetryOptions & { readonly fetch?: Fetch } = {}): (request: Request) => Promise<Response> {
  return async (request) => {
    const { url, method, signal } = request;
    const endsAt = performance.now() + withinMs;
    const init = await initOf(request);
    for (let attempts = 1; ; attempts++) {
      const outcome = await attempt({ fetch, url, init, attemptMs, signal }).then(
        (response): Outcome => ({ response }),
        (error: unknown): Outcome => ({ error }),
      );
      signal.throwIfAborted();
      if ("response" in outcome && !isRetriable(outcome.response.status)) return outcome.response;
      const after = "response" in outcome ? retryAfterMs(outcome.response.headers) : undefined;
      const delayMs = retryDelayMs(attempts, { firstDelayMs, longestDelayMs }, after);
      if (attempts >= attemptsMax || performance.now() + delayMs > endsAt) {
        if ("response" in outcome) return outcome.response;
        throw new TallyClientError("UNREACHABLE", `${method} ${url}, attempts: ${attempts}`, { cause: outcome.error });
      }
      await delay(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  };
}

/** What every attempt sends. The body is read once: a stream could be sent only once. */
async function initOf(request: Request): Promise<RequestInit> {
  const { method } = request;
  const headers = new Headers(request.headers);
  // Followed to another origin, even from http to https, a request loses its API key.
  const init = { method, headers, redirect: "manual" } as const;
  if (method === "GET" || method === "HEAD") return init;
  // A key of this call would make each call another refund: the gateway requires one of the caller.
  const isRefund = new URL(request.url).pathname.endsWith("/refunds");
  if (!headers.has("idempotency-key") && !isRefund) headers.set("idempotency-key", crypto.randomUUID());
  return { ...init, body: await request.arrayBuffer() };
}

/** The part of the platform's fetch that this package calls. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Attempt {
  readonly fetch: Fetch;
  readonly url: string;
  readonly init: RequestInit;
  /** For the whole exchange, the body of the response included. */
  readonly attemptMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Node's longest timer, 25 days. A longer one ends after 1 ms. */
export const timerMaxMs = 2 ** 31 - 1;

/** Sends once. Resolves with the complete response (a stream: when it begins); else rejects with a TimeoutError after
 * `attemptMs`. */
export async function attempt({ fetch, url, init, attemptMs, signal }: Attempt): Promise<Response> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const abort = (): void => limit.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const late = () => new DOMException(`no complete response within ${attemptMs} ms`, "TimeoutError");
  const timer = setTimeout(() => limit.abort(late()), Math.min(attemptMs, timerMaxMs));
  let isStream = false;
  try {
    const response = await fetch(url, { ...init, signal: limit.signal });
    isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (isStream) return response;
    const body = await response.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, response);
  } finally {
    clearTimeout(timer);
    // The signal of the caller ends a stream later.
    if (!isStream) signal?.removeEventListener("abort", abort);
  }
}

/** The range of a back-off, in ms. */
export type BackOffRange = Required<Pick<RetryOptions, "firstDelayMs" | "longestDelayMs">>;

/** Whether a request may succeed later: 408, 409 (its key is under way), 429, 5xx. Any other status is final. */
export function isRetriable(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Back-off after `failures` (from 1) less up to half of it; with `afterMs` (Retry-After) never less than that. */
export function retryDelayMs(
  failures: number,
  { firstDelayMs, longestDelayMs }: BackOffRange,
  afterMs?: number,
): number {
  const backOffMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1));
  return afterMs === undefined ? backOffMs * (1 - Math.random() / 2) : afterMs + backOffMs * Math.random();
}

/** `Retry-After` in ms from now: seconds or an HTTP date. undefined: absent or neither. */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
