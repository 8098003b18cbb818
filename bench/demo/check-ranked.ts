import { setTimeout as delay } from "node:timers/promises";
import { createTallyClient, TallyClientError } from "@tally/client";
import type { GatewayAddress } from "./play/sender.ts";

const lanes = 32;
const attemptMs = 10_000;
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
  { url, apiKey }: GatewayAddress,
  ids: ReadonlySet<string>,
  withinMs: number,
  onProgress: (ranked: number) => void = () => undefined,
): Promise<RankedCheck> {
  const client = createTallyClient({ baseUrl: url, apiKey, retry: { attemptsMax: 1, attemptMs } });
  const endsAt = performance.now() + withinMs;
  const isRanked = async (eventID: string): Promise<boolean> => {
    try {
      const { data } = await client.GET("/events/{id}", { params: { path: { id: eventID } } });
      return data !== undefined && data.stored && data.ranked;
    } catch (error) {
      // No response: asked again.
      if (error instanceof TallyClientError) return false;
      throw error;
    }
  };
  let missing = [...ids];
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
    await Promise.all(Array.from({ length: lanes }, lane));
    missing = again;
    if (missing.length === 0 || performance.now() >= endsAt) return { ranked: ids.size - missing.length, missing };
    await delay(againAfterMs);
  }
}
