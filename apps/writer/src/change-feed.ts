import { feedPublisher, type FeedOptions } from "@tally/broker";
import type { Change, Domain, SqlReader } from "@tally/contract";
import { Outage } from "@tally/runtime";
import type { ReceivedBatch } from "./received-batch.ts";
import { retried } from "./rejected-events.ts";

/** Publishes what a batch has stored, at least once, as one message. `changes`: undefined for a batch that was stored
 * before. For such a batch and for a redelivered one, it publishes all events that have rows: it cannot know which were
 * published, and another batch may have stored them. */
export function changeFeed({ rows, ...options }: FeedOptions & { readonly domain: Domain; readonly rows: SqlReader }) {
  const { domain, signal, log } = options;
  const { feed } = domain;
  const publish = feedPublisher(options);
  const outage = new Outage(log, `read changes of ${domain.name}`);
  return async ({ batch, delivery, key }: ReceivedBatch, changes?: readonly Change[]): Promise<"done" | "aborted"> => {
    if (feed === undefined) return "done";
    const ids = () => [...new Set(batch.events.map(({ id }) => id))];
    const isFirst = changes !== undefined && !delivery.redelivered;
    const read = isFirst ? [] : await retried(outage, () => feed.read(rows, ids()), signal);
    if (read === "aborted") return "aborted";
    // For a second after a switchover, `rows` may lack the changes.
    const events = new Map([...read, ...(changes ?? []).map(feed.eventOf)].map((one) => [one.id, one]));
    if (events.size === 0) return "done";
    // A moment after its requests; later for parked and replayed events.
    return publish(key, new Date(batch.createdAt).toISOString(), [...events.values()]);
  };
}
