/** A variant of tally with one idea taken away, to measure what the idea is worth: by settings that the apps have
 * anyway and by the gateway's intake (intakes.ts). The apps have no switches for it.
 */
export interface Design {
  readonly description: string;
  readonly settings?: NodeJS.ProcessEnv;
  /** What a 2xx means with the durability `confirmed`. Default: what the durability says. */
  readonly means?: string;
  /** What serves reads of rows. Default: the replica. */
  readonly readsFrom?: "primary";
  /** What stores events: the writer, after the response; the gateway, before it; nothing. */
  readonly stores: "writer" | "gateway" | "nothing";
  /** True: clients reach the gateways through HAProxy (infra/haproxy). */
  readonly balanced?: true;
  /** True: gateways are added and removed by the rule of S1 (scaling.ts). */
  readonly scales?: true;
}

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
  "primary-reads": {
    description: "no read/write split: the primary serves reads of rows, and the replica nothing",
    readsFrom: "primary",
    stores: "writer",
  },
  "per-message": {
    description: "one confirmed message for each request, one transaction for each event",
    settings: { WRITER_EVENTS_PER_TRANSACTION: "1" },
    stores: "writer",
  },
  synchronous: {
    description: "no queue: one row into MySQL, then the rankings in Redis, before the response",
    means: "its row is committed in MySQL and counted in Redis",
    stores: "gateway",
  },
  "balanced-synchronous": {
    description: "no queue, as synchronous, with HAProxy between the clients and the gateways",
    means: "its row is committed in MySQL and counted in Redis",
    balanced: true,
    stores: "gateway",
  },
  scaled: {
    description: "as balanced; a gateway is added above 40 % of a core each, and removed below 20 %",
    balanced: true,
    scales: true,
    stores: "writer",
  },
  bare: {
    description: "nothing behind the HTTP app and its checks: the upper limit",
    means: "checked, and stored nowhere",
    stores: "nothing",
  },
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

/** What a 2xx means in a design, for people. */
export function meaningOf(design: DesignName, durability: Durability): string {
  return (durability === "confirmed" ? designOf(design).means : undefined) ?? durabilities[durability];
}
