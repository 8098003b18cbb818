import { setTimeout as delay } from "node:timers/promises";

/** The one table of delays before work is repeated: the first, doubled with each further failure up to the longest. */
const backOffs = {
  /** A deadlock or a lock that was held too long: the other transaction ends within ms. */
  conflict: { firstMs: 5, longestMs: 500 },
  /** A server that is down, overloaded or changing its role, or a publish without a confirm. */
  unavailable: { firstMs: 50, longestMs: 2000 },
  /** Any other error, most likely a defect or a wrong configuration. Nothing is dropped, and an early retry does not help. */
  unexpected: { firstMs: 500, longestMs: 10_000 },
  /** A thread that died. */
  thread: { firstMs: 100, longestMs: 10_000 },
} as const;

export type FailureClass = keyof typeof backOffs;

/**
 * How long to wait after `failures` failures in a row (from 1), minus a random part of at most half. The random part keeps clients that fail
 * together from returning together.
 */
export function backOffMs(failures: number, failureClass: FailureClass): number {
  const { firstMs, longestMs } = backOffs[failureClass];
  return Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}

/** Waits before work that failed `failures` times in a row (from 1) is repeated. An error names its class in `failureClass`. */
export async function backOff(failures: number, error: unknown): Promise<void> {
  await delay(backOffMs(failures, failureClassOf(error)));
}

function failureClassOf(error: unknown): FailureClass {
  if (!(error instanceof Error) || !("failureClass" in error)) return "unexpected";
  return error.failureClass === "conflict" || error.failureClass === "unavailable" ? error.failureClass : "unexpected";
}
