import { feedOf, type FeedEvent } from "@tally/contract";
import { backOff, Outage, type Log } from "@tally/runtime";
import type { Publisher } from "./connect-publisher.ts";

// A full queue of a subscriber may reject messages. It must not stop who publishes.
const giveUpAfterMs = 10_000;
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

/** Publishes to the change feed of a domain. */
export class FeedPublisher {
  readonly #options: FeedOptions;
  readonly #outage: Outage;
  /** When a bound queue began to reject, by performance.now(). */
  #rejectedSince: number | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#outage = new Outage(options.log, `publish changes of ${options.domain.name}`);
  }

  /** One message of CloudEvents 1.0, at least once. `time`: of the events without one of their own. */
  async publish(messageId: string, time: string, events: readonly FeedEvent[]): Promise<"done" | "aborted"> {
    const { domain, namespace, publisher, signal, withinMs } = this.#options;
    const { exchange: topic, key: queue } = feedOf(namespace, domain.name);
    // The same for all processes and after a restart: source and id identify an event.
    const source = `/${encodeURIComponent(namespace)}/${domain.name}`;
    const cloudEvents = events.map((one) => Object.assign({ specversion: "1.0", source, time }, one));
    const body = Buffer.from(JSON.stringify(cloudEvents));
    for (let failures = 1; !signal.aborted; failures++) {
      const deadline = withinMs !== undefined && { deadline: Date.now() + withinMs };
      const outcome = await publisher.publish({ queue, topic, messageId, body, contentType, ...deadline });
      if (outcome === "expired") return "aborted";
      if (outcome === "confirmed") {
        this.#rejectedSince = undefined;
        this.#outage.worked();
        return "done";
      }
      if (this.#isGivenUp()) return "done";
      await backOff(failures, unavailable, signal);
    }
    return "aborted";
  }

  /** True after `rejectedMaxMs` of rejections: then each message is tried once. */
  #isGivenUp(): boolean {
    const now = performance.now();
    this.#rejectedSince ??= now;
    this.#outage.failed(unavailable);
    return now - this.#rejectedSince > (this.#options.rejectedMaxMs ?? giveUpAfterMs);
  }
}

const unavailable = Object.assign(new Error("a queue of a subscriber rejects messages; after 10 s it loses them"), {
  failureClass: "unavailable",
});
