import { feedPublisher, type FeedOptions } from "@tally/broker";
import type { Change, Domain, SqlReader } from "@tally/contract";
import { Outage } from "@tally/runtime";
import type { ReceivedBatch } from "./received-batch.ts";
import { retried } from "./rejected-events.ts";

// At most 4 MB: an event has up to 500 lines of 113 bytes.
const eventsOfMessage = 64;

/** Publishes what a batch has stored, at least once, as one message. `changes`: undefined for a batch that was stored
 * before. Of such a batch and of a redelivered one, it publishes all events that have rows, in several messages: it
 * cannot know which were published, and other batches may have stored many large ones. */
export function changeFeed({ rows, ...options }: FeedOptions & { readonly domain: Domain; readonly rows: SqlReader }) {
  const { domain, signal, log } = options;
  const { feed } = domain;
  const publish = feedPublisher(options);
  const outage = new Outage(log, `read changes of ${domain.name}`);
  return async ({ batch, delivery, key }: ReceivedBatch, changes?: readonly Change[]): Promise<"done" | "aborted"> => {
    if (feed === undefined) return "done";
    // A moment after its requests; later for parked and replayed events.
    const time = new Date(batch.createdAt).toISOString();
    const own = (changes ?? []).map(feed.eventOf);
    if (changes !== undefined && !delivery.redelivered) return own.length === 0 ? "done" : publish(key, time, own);
    const ids = [...new Set(batch.events.map(({ id }) => id))];
    for (let at = 0; at < ids.length; at += eventsOfMessage) {
      const some = ids.slice(at, at + eventsOfMessage);
      const read = await retried(outage, () => feed.read(rows, some), signal);
      if (read === "aborted") return "aborted";
      // For a second after a switchover, `rows` may lack the changes.
      const known = new Map([...own, ...read].map((one) => [one.id, one]));
      const events = some.flatMap((id) => known.get(id) ?? []);
      if (events.length > 0 && (await publish(key, time, events)) === "aborted") return "aborted";
    }
    return "done";
  };
}
