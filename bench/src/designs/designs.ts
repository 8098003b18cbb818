/*
 * A design is a variant of tally with one idea taken away, to measure what the idea is worth. It differs by settings that the apps have
 * anyway, and by parts of its gateway (gateway-parts.ts). The apps themselves have no switches for it.
 */

export interface Design {
  readonly description: string;
  readonly settings?: NodeJS.ProcessEnv;
  /** False: responds before the broker has confirmed, with every durability. */
  readonly confirms?: false;
  /** What stores events: the writer, after the response; the gateway, before it; nothing. */
  readonly stores: "writer" | "gateway" | "nothing";
  /** True: clients reach the gateways through HAProxy (infra/haproxy). */
  readonly balanced?: true;
  /** False: there are no rankings. */
  readonly ranks?: false;
}

const oneByOne = {
  BATCH_EVENTS_MAX: "1",
  BATCHES_IN_FLIGHT_MAX: "1000",
  WRITER_EVENTS_PER_TRANSACTION: "1",
};

const designs = {
  batched: {
    description: "tally as it is: one confirmed message and one transaction for many events",
    stores: "writer",
  },
  balanced: {
    description: "tally as it is, with HAProxy between the clients and the gateways",
    balanced: true,
    stores: "writer",
  },
  "per-message": {
    description: "one confirmed message for each request, one transaction for each event",
    settings: oneByOne,
    stores: "writer",
  },
  unconfirmed: {
    description: "one message for each request without a confirm, one transaction for each event",
    settings: oneByOne,
    confirms: false,
    stores: "writer",
  },
  synchronous: {
    description: "no queue: one row into MySQL, then the rankings in Redis, before the response",
    stores: "gateway",
  },
  "synchronous-unranked": {
    description: "no queue: one row into MySQL before the response, and no rankings",
    stores: "gateway",
    ranks: false,
  },
  bare: { description: "nothing behind the HTTP app and its checks: the upper limit", stores: "nothing" },
} as const satisfies Record<string, Design>;

/** What a 2xx means. */
const durabilities = {
  confirmed: "on disk at a majority of the broker's nodes",
  persistent: "sent to the broker, which will write it to disk",
  transient: "sent to the broker, which keeps it in memory, in classic queues that end with it",
};

export type DesignName = keyof typeof designs;
export type Durability = keyof typeof durabilities;

// The keys of an object literal are its own.
/* oxlint-disable typescript/no-unsafe-type-assertion */
export const designNames = Object.keys(designs) as readonly DesignName[];
export const durabilityNames = Object.keys(durabilities) as readonly Durability[];
/* oxlint-enable typescript/no-unsafe-type-assertion */

export const designOf = (name: DesignName): Design => designs[name];

/** What a 2xx means in a design: the requested durability, or less where the design does not wait for confirms. */
export function durabilityOf(design: DesignName, requested: Durability): Durability {
  return designOf(design).confirms === false && requested === "confirmed" ? "persistent" : requested;
}
