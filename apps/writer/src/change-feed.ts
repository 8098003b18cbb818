import { FeedPublisher, type FeedOptions } from "@tally/broker";
import type { Change, Domain, SqlReader } from "@tally/contract";
import { Outage } from "@tally/runtime";
import type { ReceivedBatch } from "./received-batch.ts";
import { retried } from "./rejected-events.ts";

interface ChangeFeedOptions extends FeedOptions {
  readonly domain: Domain;
  readonly rows: SqlReader;
}

/** Publishes what a batch has stored, at least once, as one message. */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #publisher: FeedPublisher;
  readonly #outage: Outage;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
    this.#publisher = new FeedPublisher(options);
    this.#outage = new Outage(options.log, `read changes of ${options.domain.name}`);
  }

  /** `changes`: undefined for a batch that was stored before. For such a batch and for a redelivered one, it publishes
   * all events that have rows: it cannot know which were published, and another batch may have stored them. */
  async publish(
    { batch, delivery, key }: ReceivedBatch,
    changes: readonly Change[] | undefined,
  ): Promise<"done" | "aborted"> {
    const { domain, rows, signal } = this.#options;
    const { feed } = domain;
    if (feed === undefined) return "done";
    const ids = () => [...new Set(batch.events.map(({ id }) => id))];
    const events =
      changes !== undefined && !delivery.redelivered
        ? changes.map(feed.eventOf)
        : await retried(this.#outage, () => feed.read(rows, ids()), signal);
    if (events === "aborted") return "aborted";
    if (events.length === 0) return "done";
    // A moment after its requests; later for parked and replayed events.
    const time = new Date(batch.createdAt).toISOString();
    return this.#publisher.publish(key, time, events);
  }
}
