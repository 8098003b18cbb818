import { setTimeout as delay } from "node:timers/promises";
import { isGood, LoadClient } from "@tally/lab/load";

const connections = 32;
const responseWithinMs = 10_000;
const againAfterMs = 200;

export interface RankedCheck {
  readonly ranked: number;
  /** Acknowledged events that are not stored, or not ranked. */
  readonly missing: readonly string[];
}

/**
 * Asks the gateway where each event is, again and again for those that are not ranked yet, until all are or `withinMs` is over. Cost: a GET for
 * each event, some thousands a second.
 */
export async function checkRanked(
  url: string,
  ids: ReadonlySet<string>,
  withinMs: number,
  onProgress: (ranked: number) => void = () => undefined,
): Promise<RankedCheck> {
  const client = new LoadClient(url, { connections, responseWithinMs, keepText: true });
  const endsAt = performance.now() + withinMs;
  const isRanked = async (id: string): Promise<boolean> => {
    const reply = await client.send({ method: "GET", path: `/events/${id}` });
    if (!isGood(reply)) return false;
    const body: unknown = JSON.parse(reply.text);
    const is = (name: string): boolean => typeof body === "object" && body !== null && Reflect.get(body, name) === true;
    return is("stored") && is("ranked");
  };
  let missing = [...ids];
  try {
    for (;;) {
      const waiting = missing.values();
      const again: string[] = [];
      let ranked = ids.size - missing.length;
      const lane = async (): Promise<void> => {
        for (const id of waiting) {
          if (await isRanked(id)) onProgress(++ranked);
          else again.push(id);
        }
      };
      await Promise.all(Array.from({ length: connections }, lane));
      missing = again;
      if (missing.length === 0 || performance.now() >= endsAt) return { ranked: ids.size - missing.length, missing };
      await delay(againAfterMs);
    }
  } finally {
    await client.close();
  }
}
