import type { Publisher } from "@tally/broker";
import { feedOf, type Change, type Domain, type FeedEvent, type SqlReader } from "@tally/contract";
import { backOff, Outage, type Log } from "@tally/runtime";
import type { ReceivedBatch } from "./received-batch.ts";
import { retried } from "./rejected-events.ts";

// A full queue of a subscriber may reject messages. It must not stop the writer.
const giveUpAfterMs = 10_000;
const contentType = "application/cloudevents-batch+json; charset=utf-8";

interface FeedOptions {
  readonly domain: Domain;
  readonly namespace: string;
  readonly rows: SqlReader;
  readonly publisher: Pick<Publisher, "publish">;
  /** Ends all retries. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** How long rejected batches are sent again. */
  readonly rejectedMaxMs?: number;
}

/** Publishes what a batch has stored, at least once, as one message of CloudEvents 1.0. */
export class ChangeFeed {
  readonly #options: FeedOptions;
  readonly #outage: Outage;
  /** When a bound queue began to reject, by performance.now(). */
  #rejectedSince: number | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#outage = new Outage(options.log, `publish changes of ${options.domain.name}`);
  }

  /** `changes`: undefined for a batch that was stored before. For such a batch and for a redelivered one, it publishes
   * all events that have rows: it cannot know which were published, and another batch may have stored them. */
  async publish(received: ReceivedBatch, changes: readonly Change[] | undefined): Promise<"done" | "aborted"> {
    const { domain, namespace, publisher, signal } = this.#options;
    const events = await this.#eventsOf(received, changes);
    if (events === "aborted") return "aborted";
    if (events.length === 0) return "done";
    const { exchange: topic, key: queue } = feedOf(namespace, domain.name);
    // The same for all writers and after a restart: source and id identify an event.
    const source = `/${encodeURIComponent(namespace)}/${domain.name}`;
    // When the batch was made, a moment after its requests. Later for parked and replayed events.
    const time = new Date(received.batch.createdAt).toISOString();
    const cloudEvents = events.map((one) => Object.assign({ specversion: "1.0", source, time }, one));
    const body = Buffer.from(JSON.stringify(cloudEvents));
    for (let failures = 1; !signal.aborted; failures++) {
      const outcome = await publisher.publish({ queue, topic, messageId: received.key, body, contentType });
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

  async #eventsOf(
    { batch, delivery }: ReceivedBatch,
    changes: readonly Change[] | undefined,
  ): Promise<readonly FeedEvent[] | "aborted"> {
    const { domain, rows, signal } = this.#options;
    const { feed } = domain;
    if (feed === undefined) return [];
    if (changes !== undefined && !delivery.redelivered) return changes.map(feed.eventOf);
    const ids = [...new Set(batch.events.map(({ id }) => id))];
    return retried(this.#outage, () => feed.read(rows, ids), signal);
  }

  /** True after `rejectedMaxMs` of rejections: then each batch is tried once. */
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
