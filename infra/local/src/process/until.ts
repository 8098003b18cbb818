import { setTimeout as delay } from "node:timers/promises";

/** Calls `check` until it returns true. Returns false after `withinMs`; throws the signal's reason on abort. */
export async function until(
  check: () => Promise<boolean>,
  { withinMs, everyMs = 50, signal }: { withinMs: number; everyMs?: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const end = Date.now() + withinMs;
  for (;;) {
    signal?.throwIfAborted();
    if (await check()) return true;
    if (Date.now() >= end) return false;
    await delay(everyMs);
  }
}
