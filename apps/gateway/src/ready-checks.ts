import type { KeyRing } from "@tally/access";
import type { Database } from "@tally/database";
import type { Publisher } from "@tally/messaging";
import type { Rankings } from "@tally/rankings";
import type { Health } from "@tally/service";

export interface CheckedServers {
  readonly database: Database;
  readonly rankings: Rankings;
  readonly publisher: Publisher;
  /** The valid API keys; undefined when none are required. */
  readonly ring: KeyRing | undefined;
}

/** The readiness of a gateway. Only the broker and the phase decide: without the other servers it still accepts events. */
export async function readyChecks(
  phase: "starting" | "serving" | "stopping",
  { database, rankings, publisher, ring }: CheckedServers,
): Promise<Health> {
  const [{ write, read }, redis] = await Promise.all([database.ping(), rankings.ping()]);
  const isServing = phase === "serving";
  return {
    broker: { ok: publisher.state === "up" && isServing, detail: isServing ? publisher.state : phase },
    databaseRead: { ok: true, detail: read ? "up" : "down" },
    databaseWrite: { ok: true, detail: write ? "up" : "down" },
    redis: { ok: true, detail: redis ? "up" : "down" },
    ...(ring && { keys: { ok: ring.isKnown, detail: ring.isKnown ? `${ring.size} keys` : "not read yet" } }),
  };
}
