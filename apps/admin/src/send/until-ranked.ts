import { setTimeout as delay } from "node:timers/promises";
import { withProgress } from "@tally/runtime/progress";
import type { Gateway } from "../gateway/gateway.ts";

const pollEveryMs = 100;

/** Waits until an event is counted in the rankings. Returns false when it is not after `withinMs`. */
export function untilRanked(gateway: Gateway, eventId: string, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  return withProgress(async (progress) => {
    for (let asked = 1; ; asked++) {
      const { json } = await gateway.send(
        { method: "GET", path: `/events/${eventId}` },
        { giveUpAfterMs: Math.max(1000, deadline - performance.now()) },
      );
      if (typeof json === "object" && json !== null && Reflect.get(json, "ranked") === true) return true;
      if (performance.now() > deadline) return false;
      progress.show("waiting until it is ranked, looked", asked, undefined);
      await delay(pollEveryMs);
    }
  });
}
