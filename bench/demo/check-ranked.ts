import { createTallyClient, TallyClientError } from "@tally/client";
import { until } from "@tally/local";
import type { GatewayAddress } from "./day-player.ts";

const lanes = 32;
const attemptMs = 10_000;

export interface RankedCheck {
  readonly ranked: number;
  /** Acknowledged events that are not stored, or not ranked. */
  readonly missing: readonly string[];
}

/**
 * Asks the gateway where each event is, until all are ranked or `withinMs` is over. Cost: a GET for each event, some
 * thousands a second.
 */
export async function checkRanked(
  { url, apiKey }: GatewayAddress,
  ids: ReadonlySet<string>,
  withinMs: number,
  onProgress: (ranked: number) => void,
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
  let ranked = 0;
  const missing: string[] = [];
  const waiting = ids.values();
  const lane = async (): Promise<void> => {
    for (const id of waiting) {
      const isFound = await until(() => isRanked(id), { withinMs: endsAt - performance.now(), everyMs: 200 });
      if (isFound) onProgress(++ranked);
      else missing.push(id);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { ranked, missing };
}
