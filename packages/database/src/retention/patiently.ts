import { setTimeout as delay } from "node:timers/promises";
import { DatabaseError } from "../connection/database-error.ts";

const againAfterMs = 3000;
const patienceMs = 600_000;

/**
 * Repeats a change of tables while transactions use them for longer than the session waits: those of a rebuild, an audit or an export. The pauses
 * let the writers continue. Throws the last error after ten minutes.
 */
export async function patiently<T>(change: () => Promise<T>, onWait: () => void): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await change();
    } catch (error) {
      const isBusy = error instanceof DatabaseError && error.kind === "retry";
      if (!isBusy || performance.now() > deadline) throw error;
      onWait();
      await delay(againAfterMs);
    }
  }
}
