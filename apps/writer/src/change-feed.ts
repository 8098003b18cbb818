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
    const { domain, namespace, signal } = this.#options;
    const isKnown = changes !== undefined && !received.delivery.redelivered;
    const events = isKnown ? this.#eventsOf(changes) : await this.#stored(received);
    if (events === "aborted") return "aborted";
    if (events.length === 0) return "done";
    const source = sourceOf(namespace, domain.name);
    const body = encodeCloudEvents(events, source, new Date(received.batch.createdAt).toISOString());
    for (let failures = 1; !signal.aborted; failures++) {
      const outcome = await this.#send(received.key, body);
      if (outcome === "expired") return "aborted";
      if (outcome === "confirmed" || this.#isGivenUp()) return "done";
      await backOff(failures, unavailable, signal);
    }
    return "aborted";
  }

  #eventsOf(changes: readonly Change[]): readonly FeedEvent[] {
    const { feed } = this.#options.domain;
    return feed === undefined ? [] : changes.map(feed.eventOf);
  }

  async #stored({ batch }: ReceivedBatch): Promise<readonly FeedEvent[] | "aborted"> {
    const { domain, rows, signal } = this.#options;
    const ids = [...new Set(batch.events.map(({ id }) => id))];
    return retried(this.#outage, async () => (await domain.feed?.read(rows, ids)) ?? [], signal);
  }

  async #send(messageId: string, body: Buffer) {
    const { domain, namespace, publisher } = this.#options;
    const { exchange: topic, key: queue } = feedOf(namespace, domain.name);
    const outcome = await publisher.publish({ queue, topic, messageId, body, contentType });
    if (outcome === "confirmed") {
      this.#rejectedSince = undefined;
      this.#outage.worked();
    }
    return outcome;
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

/** The same for all writers and after a restart: source and id identify an event. */
const sourceOf = (namespace: string, domain: string): string => `/${encodeURIComponent(namespace)}/${domain}`;

/** `time`: when the batch was made, a moment after its requests. Later for parked and replayed events. */
function encodeCloudEvents(events: readonly FeedEvent[], source: string, time: string): Buffer {
  return Buffer.from(JSON.stringify(events.map((one) => ({ specversion: "1.0", source, time, ...one }))));
}
