import { availableParallelism } from "node:os";

/**
 * How many threads a fleet gets when nobody says: half of the cores this process may use, at least 1. The other half is
 * for the gateway, and on one machine for the servers; a thread waits for them most of its time.
 */
export function defaultThreads(): number {
  return Math.max(1, Math.floor(availableParallelism() / 2));
}
