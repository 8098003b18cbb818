import { feedOf, type FeedEvent } from "@tally/contract";
import { backOff, Outage, type Log } from "@tally/runtime";
import type { Publisher } from "./connect-publisher.ts";

// A full queue of a subscriber may reject messages. It must not stop who publishes.
const giveUpAfterMs = 10_000;
// Of the time between two rejections no more counts: the broker did not respond.
const pauseMaxMs = 2000;
const contentType = "application/cloudevents-batch+json; charset=utf-8";

export interface FeedOptions {
  readonly domain: { readonly name: string };
  readonly namespace: string;
  readonly publisher: Pick<Publisher, "publish">;
  /** Ends all retries. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** How long rejected messages are sent again. */
  readonly rejectedMaxMs?: number;
  /** How long a message waits for the broker; absent: until the publisher is closed. */
  readonly withinMs?: number;
}

/** Publishes to the change feed of a domain: one message of CloudEvents 1.0, at least once. `time`: of the events without
 * one of their own. */
export function feedPublisher({ domain, namespace, publisher, signal, log, ...limits }: FeedOptions) {
  const { rejectedMaxMs = giveUpAfterMs, withinMs } = limits;
  const { exchange: topic, key: queue } = feedOf(namespace, domain.name);
  // The same for all processes and after a restart: source and id identify an event.
  const source = `/${encodeURIComponent(namespace)}/${domain.name}`;
  const outage = new Outage(log, `publish changes of ${domain.name}`);
  // How long a bound queue has rejected, and when it did last, by performance.now().
  let rejectedMs = 0;
  let rejectedAt: number | undefined;
  return async (messageId: string, time: string, events: readonly FeedEvent[]): Promise<"done" | "aborted"> => {
    const cloudEvents = events.map((one) => Object.assign({ specversion: "1.0", source, time }, one));
    const body = Buffer.from(JSON.stringify(cloudEvents));
    for (let failures = 1; !signal.aborted; failures++) {
      const deadline = withinMs !== undefined && { deadline: performance.now() + withinMs };
      const outcome = await publisher.publish({ queue, topic, messageId, body, contentType, ...deadline });
      if (outcome === "expired") return "aborted";
      if (outcome === "confirmed") {
        rejectedMs = 0;
        rejectedAt = undefined;
        outage.worked();
        return "done";
      }
      outage.failed(unavailable);
      const now = performance.now();
      rejectedMs += Math.min(now - (rejectedAt ?? now), pauseMaxMs);
      rejectedAt = now;
      // From then on each message is tried once.
      if (rejectedMs > rejectedMaxMs) return "done";
      await backOff(failures, unavailable, signal);
    }
    return "aborted";
  };
}

const unavailable = Object.assign(new Error("a queue of a subscriber rejects messages; after 10 s it loses them"), {
  failureClass: "unavailable",
});
