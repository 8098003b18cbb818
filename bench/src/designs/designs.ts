import type { SourceEdit } from "@tally/local/source-edits";

/*
 * What each idea of the design is worth is measured by taking it away. The apps have no switches for that: settings that they have anyway,
 * and edits of single lines while a module is loaded.
 */

export interface Design {
  readonly says: string;
  readonly settings?: NodeJS.ProcessEnv;
  readonly edits?: readonly SourceEdit[];
  /** False: answers before the broker has confirmed, whatever durability is asked for. */
  readonly confirms?: false;
  /** Who stores: the writer, after the answer; the gateway, before it; nobody. */
  readonly stores: "writer" | "gateway" | "nobody";
  /** False: nothing is in any ranking. */
  readonly ranks?: false;
}

const oneByOne = {
  BATCH_EVENTS_MAX: "1",
  BATCHES_IN_FLIGHT_MAX: "1000",
  WRITER_EVENTS_PER_TRANSACTION: "1",
};

const publisher = "packages/messaging/src/connect-publisher.ts";
const declareQueues = "packages/messaging/src/declare-queues.ts";
const groupCommit = "apps/gateway/src/ingest/group-commit.ts";
const startGateway = "apps/gateway/src/start-gateway.ts";
const everyApp = ["gateway", "writer", "ranker", "admin"] as const;

const withoutConfirms: readonly SourceEdit[] = [
  {
    apps: ["gateway"],
    file: publisher,
    find: "await model.createConfirmChannel()",
    replace: "await model.createChannel()",
  },
  {
    apps: ["gateway"],
    file: publisher,
    find: "one.sent = true;",
    replace: 'one.sent = true; settle(one, "confirmed");',
  },
];

/** The pace counts in batches: with one event in each it would let in one for each tick of a timer. */
const withoutPace: readonly SourceEdit[] = [
  {
    apps: ["gateway"],
    file: "apps/gateway/src/ingest/pace.ts",
    find: "return this.#openAtMs - nowMs;",
    replace: "return 0 * nowMs;",
  },
];

/** Commits under way at once share an fsync: 16, 32 and 64 stored as many within the noise of a shared machine, 128 fewer. */
const synchronousConnections = 32;

/** The gateway's intakes are those of synchronous.ts, which takes events as they are, and as many as come. */
function withoutQueue(ranks: boolean): readonly SourceEdit[] {
  const synchronous = JSON.stringify(new URL("synchronous.ts", import.meta.url).href);
  const apps = ["gateway"] as const;
  const unencoded = (file: string, encoded: string, event: string): SourceEdit => ({
    apps,
    file: `apps/gateway/src/http/routes/${file}`,
    find: `commit.add(${encoded})`,
    replace: `commit.add(${event})`,
  });
  return [
    {
      apps,
      file: startGateway,
      find: "writeConnections: 4,",
      replace: `writeConnections: ${synchronousConnections},`,
    },
    {
      apps,
      file: startGateway,
      find: "domains.map((domain) => openIntake(domain, { config, publisher, metrics }));",
      replace:
        `(await import(${synchronous})).openIntakes(domains, ` +
        `{ database, rankings, shards: config.rankingShards, ranks: ${ranks} });`,
    },
    unencoded("ingest-route.ts", "encodeEvent(event)", "event"),
    unencoded("bulk-route.ts", "encodeEvent(named)", "named"),
    unencoded("form-route.ts", "encoded", "event"),
  ];
}

/** What a 2xx means. Ours is "confirmed". */
const durabilities = {
  /** On disk at a majority of the broker's nodes. */
  confirmed: [],
  /** Sent to the broker, which will write it to disk. */
  persistent: withoutConfirms,
  /** Sent to the broker, which keeps it in memory: classic queues that end with it. */
  transient: [
    ...withoutConfirms,
    { apps: ["gateway"], file: publisher, find: "persistent: true", replace: "persistent: false" },
    { apps: everyApp, file: declareQueues, find: "durable: true", replace: "durable: false" },
    {
      apps: everyApp,
      file: declareQueues,
      find: '  return {\n    "x-queue-type": "quorum",',
      replace: '  return { "x-queue-type": "classic" };\n  return {\n    "x-queue-type": "quorum",',
    },
  ],
} as const satisfies Record<string, readonly SourceEdit[]>;

const designs = {
  batched: { says: "ours: one confirmed message and one transaction for many events", stores: "writer" },
  "per-message": {
    says: "one confirmed message for each request, each purchase committed alone",
    settings: oneByOne,
    edits: withoutPace,
    stores: "writer",
  },
  unconfirmed: {
    says: "one message for each request, published and forgotten, each purchase committed alone",
    settings: oneByOne,
    edits: withoutPace,
    confirms: false,
    stores: "writer",
  },
  synchronous: {
    says: "no queue: a row into MySQL, then the rankings in Redis, before the answer",
    edits: withoutQueue(true),
    stores: "gateway",
  },
  "synchronous-unranked": {
    says: "no queue: a row into MySQL before the answer, and no ranking at all",
    edits: withoutQueue(false),
    stores: "gateway",
    ranks: false,
  },
  bare: {
    says: "nothing behind the HTTP app and its checks: the ceiling",
    edits: [
      {
        apps: ["gateway"],
        file: groupCommit,
        find: 'if (this.#waiting >= this.#options.waitingMax) return Promise.resolve("busy");',
        replace: 'if (event.size > 0) return Promise.resolve("confirmed");',
      },
    ],
    stores: "nobody",
  },
} as const satisfies Record<string, Design>;

export type DesignName = keyof typeof designs;
export type Durability = keyof typeof durabilities;

// The keys of an object literal are its own.
/* oxlint-disable typescript/no-unsafe-type-assertion */
export const designNames = Object.keys(designs) as readonly DesignName[];
export const durabilityNames = Object.keys(durabilities) as readonly Durability[];
/* oxlint-enable typescript/no-unsafe-type-assertion */

export const designOf = (name: DesignName): Design => designs[name];

/** What a 2xx means in a design: what was asked for, unless the design waits for no confirm. */
export function durabilityOf(design: DesignName, asked: Durability): Durability {
  return designOf(design).confirms === false && asked === "confirmed" ? "persistent" : asked;
}

export function editsOf(design: DesignName, asked: Durability): readonly SourceEdit[] {
  return [...(designOf(design).edits ?? []), ...durabilities[durabilityOf(design, asked)]];
}
