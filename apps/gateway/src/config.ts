import { addresses, choice, integer, list, string, systemSettings, url, type Config } from "@tally/service";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const gibibyte = 1024 * mebibyte;

const anyPort = { min: 0, max: 65_535 } as const;
const toMillion = { min: 1, max: 1_000_000 } as const;
const eventRate = { min: 0, max: 1_000_000, unit: "events/s", default: 0 } as const;
const memory = { max: 64 * gibibyte, unit: "bytes" } as const;
const requestTime = { min: 100, max: 600_000, unit: "ms" } as const;
const waitTime = { min: 10, max: 120_000, unit: "ms" } as const;

/** The gateway's settings. */
export const gatewaySettings = {
  ...systemSettings,
  port: integer("PORT", {
    ...anyPort,
    default: 8080,
    description: "the port on which the gateway listens; 0: any free port",
  }),
  host: string("HOST", { default: "0.0.0.0", description: "the address on which it listens" }),
  auth: choice("AUTH", {
    of: ["required", "off"],
    default: "required",
    description:
      "whether requests need an API key; off is valid only when HOST is a loopback address, or with AUTH_OFF_CONFIRMED",
  }),
  authOffConfirmed: choice("AUTH_OFF_CONFIRMED", {
    of: ["no", "yes"],
    default: "no",
    description: "yes: AUTH=off is intended although clients on other machines can reach the gateway",
  }),
  rateLimitPerKey: integer("RATE_LIMIT_PER_KEY", {
    ...eventRate,
    description: "the rate of each API key without its own limit; 0: no limit",
  }),
  rateLimitPerKeyBurst: integer("RATE_LIMIT_PER_KEY_BURST", {
    ...toMillion,
    default: 1000,
    description:
      "burst of a key without its own limit: events at once, and the most entries in one of its bulk requests",
  }),
  rateLimitPerAddress: integer("RATE_LIMIT_PER_ADDRESS", {
    ...eventRate,
    description: "the rate of each address, for requests without a valid key; 0: no limit",
  }),
  rateLimitPerAddressBurst: integer("RATE_LIMIT_PER_ADDRESS_BURST", {
    ...toMillion,
    default: 1000,
    description: "burst of each address: events at once, and the most entries in one of its bulk requests",
  }),
  rateLimitFails: choice("RATE_LIMIT_FAILS", {
    of: ["open", "closed"],
    default: "open",
    description:
      "while Redis is down, requests are accepted without a check of their limit (open), or get 503 (closed)",
  }),
  basePaths: list("BASE_PATHS", {
    default: [],
    description:
      'further paths below which the same routes are mounted; "/" adds to the root the routes that only base paths have',
  }),
  bodyBytesMax: integer("BODY_BYTES_MAX", {
    min: kibibyte,
    max: mebibyte,
    unit: "bytes",
    default: 128 * kibibyte,
    description:
      "the largest body of a single event, and the largest entry of a bulk request; a purchase of 500 items needs 25 to 51 kB",
  }),
  bulkBytesMax: integer("BULK_BYTES_MAX", {
    min: kibibyte,
    // Scanned in one pass before it is parsed entry by entry: about 2 ms for each MiB.
    max: 4 * mebibyte,
    unit: "bytes",
    default: 2 * mebibyte,
    description: "the largest body of a bulk request; 1,000 purchases of 20 items need 0.9 to 1.6 MB",
  }),
  formPartBytesMax: integer("FORM_PART_BYTES_MAX", {
    min: kibibyte,
    // With its envelope below 16 MiB, the largest message of RabbitMQ 4.
    max: 15 * mebibyte,
    unit: "bytes",
    default: 10 * mebibyte,
    description: "the largest part of a form, such as a picture",
  }),
  batchEventsMax: integer("BATCH_EVENTS_MAX", {
    min: 1,
    max: 10_000,
    default: 256,
    description: "the most events in one batch",
  }),
  batchBytesMax: integer("BATCH_BYTES_MAX", {
    min: kibibyte,
    max: 512 * kibibyte,
    unit: "bytes",
    default: 64 * kibibyte,
    description: "the largest batch; a larger event is a batch by itself",
  }),
  batchEveryMs: integer("BATCH_EVERY_MS", {
    min: 0,
    max: 1000,
    unit: "ms",
    default: 5,
    description:
      "under steady traffic, at most 1 ms between events, a partial batch is sent at most this often; a lone event is sent at once",
  }),
  batchesInFlightMax: integer("BATCHES_IN_FLIGHT_MAX", {
    min: 1,
    max: 1000,
    default: 8,
    description: "published batches of a domain that may wait for their confirm",
  }),
  waitingMax: integer("WAITING_MAX", {
    ...toMillion,
    default: 10_000,
    description: "events of a domain that may wait for their confirm; further ones get 503 at once",
  }),
  waitingBytesMax: integer("WAITING_BYTES_MAX", {
    // Room for the largest event.
    min: 32 * mebibyte,
    ...memory,
    default: 128 * mebibyte,
    description: "bytes of the events that WAITING_MAX counts; the process needs a few times this memory",
  }),
  bodiesBytesMax: integer("BODIES_BYTES_MAX", {
    // Room for the largest form.
    min: 16 * mebibyte,
    ...memory,
    default: 128 * mebibyte,
    description:
      "memory for request bodies above 16 KiB, and the same amount again for pictures being sent; requests beyond it get 503",
  }),
  bodiesBytesPerAddressMax: integer("BODIES_BYTES_PER_ADDRESS_MAX", {
    min: 16 * mebibyte,
    ...memory,
    default: 64 * mebibyte,
    description: "the most of each of these two budgets that one client address may hold",
  }),
  connectionsMax: integer("CONNECTIONS_MAX", {
    ...toMillion,
    default: 10_000,
    description: "open connections; further ones are closed at once",
  }),
  connectionsPerAddressMax: integer("CONNECTIONS_PER_ADDRESS_MAX", {
    ...toMillion,
    default: 4096,
    description: "open connections of one client address; those of TRUST_PROXY are not limited",
  }),
  trustProxy: addresses("TRUST_PROXY", {
    default: [],
    description:
      "load balancers whose X-Forwarded-For contains the client address; all clients behind any other load balancer have one address",
  }),
  confirmWithinMs: integer("CONFIRM_WITHIN_MS", {
    ...waitTime,
    default: 5000,
    description: "how long an event waits for its confirm before its client gets 503",
  }),
  doorRedisUrl: url("DOOR_REDIS_URL", {
    protocols: ["redis:", "rediss:"],
    default: "",
    description: "the Redis of idempotency keys and rate limits; none: REDIS_URL",
  }),
  keysRememberedSeconds: integer("KEYS_REMEMBERED_SECONDS", {
    min: 1,
    max: 31 * 86_400,
    unit: "s",
    default: 86_400,
    description:
      "how long a gateway responds with 422 to an Idempotency-Key with other content; later the writer makes that event a dead letter",
  }),
  queryWithinMs: integer("QUERY_WITHIN_MS", { ...waitTime, default: 5000, description: "how long a query may take" }),
  recentBytesMax: integer("RECENT_BYTES_MAX", {
    min: 0,
    ...memory,
    default: 16 * mebibyte,
    description: "bytes of the newest events that each domain keeps in memory for lookups by id",
  }),
  headersWithinMs: integer("HEADERS_WITHIN_MS", {
    ...requestTime,
    default: 10_000,
    description:
      "how long the head of a request may take from its first byte, or from the opening of the connection, before its client gets 408",
  }),
  bodyWithinMs: integer("BODY_WITHIN_MS", {
    ...requestTime,
    default: 30_000,
    description: "how long the whole request may take from its first byte, before its client gets 408",
  }),
  healthPort: integer("GATEWAY_HEALTH_PORT", {
    ...anyPort,
    default: 8083,
    description: "the port of /health and /metrics, for operators only; 0: any free port",
  }),
  healthHost: string("GATEWAY_HEALTH_HOST", { default: "0.0.0.0", description: "the address of the operator port" }),
  foundWithinMs: integer("FOUND_WITHIN_MS", {
    ...waitTime,
    default: 3000,
    description: "how long a lookup waits for an accepted event that is not stored yet, before its client gets 503",
  }),
} as const;

export type GatewayConfig = Config<typeof gatewaySettings>;
