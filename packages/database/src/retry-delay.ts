import type { DatabaseErrorKind } from "./database-error.ts";

/** Milliseconds to wait before attempt number `failures` + 1: doubling from 5 ms after a conflict, from 50 ms while away; half of it random. */
export function retryDelayMs(kind: DatabaseErrorKind, failures: number): number {
  const [firstMs, maxMs] = kind === "retry" ? [5, 500] : [50, 2000];
  const delayMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 16));
  return delayMs * (0.5 + Math.random() / 2);
}
