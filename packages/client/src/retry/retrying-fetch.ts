import { TallyClientError } from "../tally-client-error.ts";
import { attempt, type Fetch } from "./attempt.ts";
import { delay } from "./delay.ts";
import { isRetriable, retryAfterMs, retryDelayMs } from "./retry-delay.ts";

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

interface Options extends RetryOptions {
  readonly fetch?: Fetch;
}

type Outcome = { readonly response: Response } | { readonly error: unknown };

/**
 * A fetch that retries after network errors, timeouts and the statuses of `isRetriable`, after `Retry-After` or with a
 * growing random delay. A POST without Idempotency-Key gets a random one, which all its attempts carry, with the same
 * bytes. Redirects of a POST are not followed: they would become a GET.
 *
 * Resolves with the last response. Rejects with UNREACHABLE when the last attempt had none, and with the signal's
 * reason when the call is aborted. Makes no further attempt when its delay would end after `withinMs`.
 */
export function retryingFetch({
  fetch = (url, init) => globalThis.fetch(url, init),
  attemptsMax = 6,
  withinMs = 30_000,
  attemptMs = 15_000,
  firstDelayMs = 100,
  longestDelayMs = 5000,
}: Options = {}): (request: Request) => Promise<Response> {
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
      await delay(delayMs, signal);
    }
  };
}

/** What every attempt sends. The body is read once: a stream could be sent only once. */
async function initOf(request: Request): Promise<RequestInit> {
  const { method, credentials, mode, cache } = request;
  const isRead = method === "GET" || method === "HEAD";
  const headers = new Headers(request.headers);
  if (isRead) return { method, headers, credentials, mode, cache };
  if (!headers.has("idempotency-key")) headers.set("idempotency-key", crypto.randomUUID());
  const body = await request.arrayBuffer();
  return { method, headers, credentials, mode, cache, redirect: "manual", body };
}
