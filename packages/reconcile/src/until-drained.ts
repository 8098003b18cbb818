import { setTimeout as delay } from "node:timers/promises";

/** What one observation of a running system shows. */
interface Observation {
  /** Differs from the previous observation's when anything was stored or ranked in between. */
  readonly progress: string;
  /** What is under way, where there was no progress for this long. Empty: the system has drained. */
  readonly underWay: (stillForMs: number) => Promise<readonly string[]>;
}

/** Observes until nothing is under way and returns an empty list. After `withinMs` returns what is still under way. */
export async function untilDrained(
  observe: () => Promise<Observation>,
  { everyMs, withinMs }: { readonly everyMs: number; readonly withinMs: number },
): Promise<readonly string[]> {
  const deadline = performance.now() + withinMs;
  let last: string | undefined;
  let movedAt = 0;
  for (;;) {
    const { progress, underWay } = await observe();
    if (progress !== last) movedAt = performance.now();
    last = progress;
    const left = await underWay(performance.now() - movedAt);
    if (left.length === 0 || performance.now() > deadline) return left;
    await delay(everyMs);
  }
}
