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

/**
 * Sends a request once. Resolves when the response is complete, so that a body that breaks off is a failed attempt too;
 * a stream of events is returned when it begins. Rejects when there is no complete response within `attemptMs`, and
 * with the signal's reason when it is aborted.
 */
export async function attempt({ fetch, url, init, attemptMs, signal }: Attempt): Promise<Response> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const abort = (): void => limit.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => limit.abort(new Error(`no complete response within ${attemptMs} ms`)), attemptMs);
  let isStream = false;
  try {
    const response = await fetch(url, { ...init, signal: limit.signal });
    isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    // A redirect that a browser does not show has the status 0, which a new Response cannot have.
    if (isStream || response.status < 200) return response;
    const body = await response.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, response);
  } finally {
    clearTimeout(timer);
    // The signal of the caller ends a stream later.
    if (!isStream) signal?.removeEventListener("abort", abort);
  }
}
