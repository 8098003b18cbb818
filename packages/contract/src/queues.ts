// About 2.5 million events at 250 a batch. A full queue rejects, and the gateway responds with 503.
const ingestMessagesMax = 10_000;
// Redis may be down for hours while the writer continues to store.
const rankMessagesMax = 1_000_000;
// RabbitMQ 4's default of 20 would discard healthy batches when something else crashes repeatedly. At one crash every
// two seconds this limit is reached after two days.
const deliveryLimit = 100_000;
// Messages over this limit would be lost: there is no further queue.
const deadDeliveryLimit = 1_000_000_000;

/** A durable quorum queue. An account that may declare queues creates what is missing. */
export interface QueueSpec {
  readonly name: string;
  /** A direct exchange that routes to the queue by its name. A client may have permission to publish there only. */
  readonly exchange?: string;
  /** A full queue rejects further messages instead of growing. */
  readonly messagesMax?: number;
  /** For messages that were rejected or delivered too often. */
  readonly deadLetterTo?: string;
  /** The death of a consumer counts as a delivery of each message that it held. */
  readonly deliveryLimit?: number;
}

/** Where the changes of a domain are published: a topic exchange. A batch has events of many kinds and stores, so the key
 * names its format; an incompatible one is published under another key beside it. */
export function feedOf(namespace: string, domain: string): { readonly exchange: string; readonly key: string } {
  return { exchange: `${namespace}.${domain}`, key: "batch.v1" };
}

/** Every app declares the same queues, so any may start first. `namespace` separates systems on one broker. */
export function queuesOf(namespace: string, domain: string): Readonly<Record<"ingest" | "rank" | "dead", QueueSpec>> {
  const dead = { name: `${namespace}.dead.${domain}`, deliveryLimit: deadDeliveryLimit };
  return {
    ingest: {
      name: `${namespace}.ingest.${domain}`,
      // A client with write permission on this exchange can reach these queues only.
      exchange: `${namespace}.ingest`,
      messagesMax: ingestMessagesMax,
      deadLetterTo: dead.name,
      deliveryLimit,
    },
    rank: { name: `${namespace}.rank.${domain}`, messagesMax: rankMessagesMax, deadLetterTo: dead.name, deliveryLimit },
    dead,
  };
}
