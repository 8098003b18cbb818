/** The range of a back-off, in ms. */
export interface BackOffRange {
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

/**
 * Whether a request may succeed later as it is: 408, 409 (the same key is under way, in the draft of the
 * Idempotency-Key header), 429, and 5xx. Every other status is final: the same request gets it again.
 */
export function isRetriable(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/**
 * How long to wait after `failures` failures in a row (from 1). Without `afterMs`: `firstDelayMs`, doubled with each
 * further failure up to `longestDelayMs`, minus a random part of at most half. With it, from `Retry-After`: never less
 * than it, plus a random part of at most that back-off. The random part keeps clients that fail together from returning
 * together.
 */
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
