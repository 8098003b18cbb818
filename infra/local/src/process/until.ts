import { setTimeout as delay } from "node:timers/promises";

/** Asks again and again until the answer is true. False when `withinMs` has passed; throws the signal's reason on abort. */
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
