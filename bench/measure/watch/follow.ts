import { setTimeout as delay } from "node:timers/promises";
import { eventState } from "../../kit/index.ts";
import type { Sample } from "../load/recorder.ts";

const pollEveryMs = 15;
// With ten samples a second there are at most 100 polls a second, however slow events become.
const pollEveryShare = 0.1;
const responseWithinMs = 10_000;

/** How long single events took, in ms from sending the request; of those that never were, how long they were followed.
 * The events are an even sample of the load. */
export type Followed = ReturnType<typeof followedOf>;

/** Follows an event as a client can: polls GET /events/:id until the event is ranked or given up. */
export async function follow(url: string, { id, sentAt }: Sample, giveUpMs = 60_000) {
  const times: { storedMs?: number; rankedMs?: number } = {};
  for (;;) {
    // Without a response it is polled again.
    const event = await eventState(url, id, responseWithinMs).catch(() => ({ stored: false, ranked: false }));
    const ms = performance.timeOrigin + performance.now() - sentAt;
    if (event.stored) times.storedMs ??= ms;
    if (event.ranked) times.rankedMs ??= ms;
    if (event.ranked || ms > giveUpMs) return { ...times, followedMs: ms };
    await delay(Math.max(pollEveryMs, ms * pollEveryShare));
  }
}

export function followedOf(events: readonly Awaited<ReturnType<typeof follow>>[]) {
  return {
    stored: events.map(({ storedMs, followedMs }) => storedMs ?? followedMs),
    ranked: events.map(({ rankedMs, followedMs }) => rankedMs ?? followedMs),
    events: events.length,
    neverStored: events.filter(({ storedMs }) => storedMs === undefined).length,
    neverRanked: events.filter(({ rankedMs }) => rankedMs === undefined).length,
  };
}
