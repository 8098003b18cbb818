/** A durable quorum queue. Every app has the same list; an app whose account may declare queues creates the missing ones. */
export interface QueueSpec {
  readonly name: string;
  /** A direct exchange that routes to the queue by its name. A broker can permit a client to publish to it and nowhere else. */
  readonly exchange?: string;
  /** A queue with this many messages rejects further ones instead of growing. */
  readonly messagesMax?: number;
  /** The queue for messages that are rejected or were delivered too often. */
  readonly deadLetterTo?: string;
  /** How often a message may be delivered. The death of a consumer counts for each message that it held. */
  readonly deliveryLimit?: number;
}

/** The queues of one domain. `namespace` keeps several systems apart on one broker. */
export interface DomainQueues {
  readonly ingest: QueueSpec;
  readonly rank: QueueSpec;
  readonly dead: QueueSpec;
}

// A full queue refuses, and the gateway says 503: about 2.5 million events at 250 a batch.
const ingestMessagesMax = 10_000;
// Redis may be away for hours while storing goes on.
const rankMessagesMax = 1_000_000;
// Every message that a consumer held when it died counts as delivered once; RabbitMQ 4's default of 20 would throw healthy
// batches out when something else crashes again and again. At a crash every two seconds this is two days.
const deliveryLimit = 100_000;
// Behind it there is no other queue: what is over the limit would be gone.
const deadDeliveryLimit = 1_000_000_000;

/** Every app declares the same queues, so any of them may start first. */
export function queuesOf(namespace: string, domain: string): DomainQueues {
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
