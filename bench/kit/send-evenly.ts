import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";

const tickMs = 1;

/**
 * Calls `send` at even intervals, whether earlier requests have responses or not. `dueAt`: a time of performance.now(); the call comes up to a
 * tick later. Resolves after the last call.
 */
export async function sendEvenly(amount: number, perSecond: number, send: (dueAt: number) => void): Promise<void> {
  const startedAt = performance.now();
  const dueAtOf = (number: number): number => startedAt + (number / perSecond) * 1000;
  for (let sent = 0; sent < amount; await delay(tickMs)) {
    const now = performance.now();
    for (; sent < amount && dueAtOf(sent) <= now; sent++) send(dueAtOf(sent));
  }
}
