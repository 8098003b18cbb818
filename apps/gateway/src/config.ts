import { domains } from "@tally/domains";
import { addresses, choice, domainsSetting, integer, list, redisUrl, systemSettings, url } from "@tally/runtime";
import type { Config } from "@tally/runtime";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const anyPort = { min: 0, max: 65_535 } as const;
const toMillion = { min: 1, max: 1_000_000 } as const;
const eventRate = { min: 0, max: 1_000_000, unit: "events/s", default: 0 } as const;
const waitTime = { min: 10, max: 120_000, unit: "ms" } as const;

/** The gateway's settings. */
export const gatewaySettings = {
  ...systemSettings,
  domains: domainsSetting(domains.map(({ name }) => name)),
  port: integer("PORT", "the port on which the gateway listens; 0: any free port", { ...anyPort, default: 8080 }),
  auth: choice(
    "AUTH",
    "whether requests need an API key; off is valid only when HOST is a loopback address, or with AUTH_OFF_CONFIRMED",
    { of: ["required", "off"], default: "required" },
  ),
  authOffConfirmed: choice(
    "AUTH_OFF_CONFIRMED",
    "yes: AUTH=off is intended although clients on other machines can reach the gateway",
    { of: ["no", "yes"], default: "no" },
  ),
  rateLimitPerKey: integer(
    "RATE_LIMIT_PER_KEY",
    "the rate of each API key without its own limit; 0: no limit",
    eventRate,
  ),
  rateLimitPerKeyBurst: integer(
    "RATE_LIMIT_PER_KEY_BURST",
    "burst of a key without its own limit: events at once, and the most entries in one of its bulk requests",
    { ...toMillion, default: 1000 },
  ),
  rateLimitPerAddress: integer(
    "RATE_LIMIT_PER_ADDRESS",
    "the rate of each address, for requests without a valid key; 0: no limit",
    eventRate,
  ),
  rateLimitPerAddressBurst: integer(
    "RATE_LIMIT_PER_ADDRESS_BURST",
    "burst of each address: events at once, and the most entries in one of its bulk requests",
    { ...toMillion, default: 1000 },
  ),
  rateLimitFails: choice(
    "RATE_LIMIT_FAILS",
    "while Redis is down, requests are accepted without a check of their limit (open), or get 503 (closed)",
    { of: ["open", "closed"], default: "open" },
  ),
  basePaths: list(
    "BASE_PATHS",
    'further paths below which the same routes are mounted; "/" adds to the root the routes that only base paths have',
    { default: [] },
  ),
  batchEventsMax: integer("BATCH_EVENTS_MAX", "the most events in one batch", { min: 1, max: 10_000, default: 256 }),
  batchEveryMs: integer(
    "BATCH_EVERY_MS",
    "under steady traffic, at most 1 ms between events, a partial batch is sent at most this often; " +
      "a lone event is sent at once",
    { min: 0, max: 1000, unit: "ms", default: 4 },
  ),
  waitingMax: integer(
    "WAITING_MAX",
    "events of a domain that may wait for their confirm; further ones get 503 at once",
    { ...toMillion, default: 10_000 },
  ),
  // Half of it, the share of one client, has room for the largest form.
  bodiesBytesMax: integer(
    "BODIES_BYTES_MAX",
    "memory for request bodies above 16 KiB, and the same amount again for responses being sent; " +
      "requests beyond it get 503",
    { min: 32 * mebibyte, max: 65_536 * mebibyte, unit: "bytes", default: 128 * mebibyte },
  ),
  // With its envelope below 16 MiB, the largest message of RabbitMQ 4.
  formPartBytesMax: integer("FORM_PART_BYTES_MAX", "the largest part of a form, a picture; a larger one gets 413", {
    min: kibibyte,
    max: 15 * mebibyte,
    unit: "bytes",
    default: 10 * mebibyte,
  }),
  connectionsMax: integer("CONNECTIONS_MAX", "open connections; further ones are closed at once", {
    ...toMillion,
    default: 10_000,
  }),
  streamsMax: integer("STREAMS_MAX", "open live streams; further ones get 503", { ...toMillion, default: 2000 }),
  trustProxy: addresses(
    "TRUST_PROXY",
    "load balancers whose X-Forwarded-For contains the client address; " +
      "all clients behind any other load balancer have one address",
    { default: [] },
  ),
  confirmWithinMs: integer("CONFIRM_WITHIN_MS", "how long an event waits for its confirm before its client gets 503", {
    ...waitTime,
    default: 5000,
  }),
  doorRedisUrl: redisUrl("DOOR_REDIS_URL", "the Redis of idempotency keys and rate limits; none: REDIS_URL", {
    default: "",
  }),
  operatorDatabaseUrl: url(
    "OPERATOR_DATABASE_URL",
    "the database's write endpoint with an account that may change dead letters and stores; none: the gateway only shows them",
    { protocols: ["mysql:"], default: "" },
  ),
  keysRememberedSeconds: integer(
    "KEYS_REMEMBERED_SECONDS",
    "how long a gateway responds with 422 to an Idempotency-Key with other content; " +
      "later the writer makes that event a dead letter",
    { min: 1, max: 31 * 86_400, unit: "s", default: 86_400 },
  ),
  currency: {
    ...choice(
      "CURRENCY",
      "the currency of prices where no store has a registered one; with another one than registered stores have, no gateway starts",
      {
        of: Intl.supportedValuesOf("currency"),
        default: "",
      },
    ),
    expected: "an ISO 4217 code, such as EUR",
  },
  queryWithinMs: integer("QUERY_WITHIN_MS", "how long a query may take", { ...waitTime, default: 5000 }),
  healthPort: integer("GATEWAY_HEALTH_PORT", "the port of /health and /metrics, for operators only; 0: any free port", {
    ...anyPort,
    default: 8083,
  }),
  drainMs: integer(
    "DRAIN_MS",
    "before STOP_WITHIN_MS begins, a stopping gateway serves on for this long while /health/live is 503, " +
      "for load balancers",
    { min: 0, max: 120_000, unit: "ms", default: 0 },
  ),
  traceOneIn: integer(
    "TRACE_ONE_IN",
    "of the requests without a traceparent header, one in this many is traced; 0: none",
    { min: 0, max: 1_000_000_000, default: 0 },
  ),
} as const;

/** Limits that no operator changes. Tests lower some. A "Share" is what one client address may hold of a setting. */
export const gatewayLimits = {
  /** The largest single event, and the largest entry of a bulk request. A purchase of 500 items has 25 to 51 kB. */
  bodyBytesMax: 128 * kibibyte,
  /** 1,000 purchases of 20 items have 0.9 to 1.6 MB. Scanned once before it is parsed, about 2 ms for each MiB. */
  bulkBytesMax: 2 * mebibyte,
  /** The largest batch; a larger event is a batch by itself. */
  batchBytesMax: 64 * kibibyte,
  /** Published batches of a domain that may wait for their confirm. */
  batchesInFlightMax: 8,
  /** Bytes of the events of a domain that WAITING_MAX counts; the process needs a few times this memory. */
  waitingBytesMax: 128 * mebibyte,
  /** The share of BODIES_BYTES_MAX for one address. */
  bodiesShare: 0.5,
  /** The share of CONNECTIONS_MAX for one address. The connections of TRUST_PROXY are not limited. */
  connectionsShare: 0.4,
  /** The share of STREAMS_MAX for one address. */
  streamsShare: 0.05,
  /** A server of the read endpoint that is further behind the newest one serves no reads. */
  replicaLagMaxMs: 5000,
  /** Bytes of the newest events that each domain keeps in memory for lookups by id. */
  recentBytesMax: 16 * mebibyte,
  /** From the first byte of a request, or the opening of its connection, to the end of its head; later 408. */
  headersWithinMs: 10_000,
  /** From the first byte of a request to its end; later 408. */
  bodyWithinMs: 30_000,
  /** How long a lookup waits for an accepted event that is not stored yet, before its client gets 503. */
  foundWithinMs: 3000,
};

export type GatewayLimits = Readonly<typeof gatewayLimits>;
export type GatewaySettings = Config<typeof gatewaySettings>;
export type GatewayConfig = GatewaySettings & GatewayLimits;
