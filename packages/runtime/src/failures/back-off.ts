interface BackOffRange {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * How long to wait after `failures` failures in a row (from 1): `firstMs`, doubled with each further failure up to `longestMs`, minus a random
 * part of at most half. The random part keeps clients that fail together from returning together.
 */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOffRange): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}

/** The delay before an app retries work after its driver gave up retrying. */
export const retryMs = 500;
