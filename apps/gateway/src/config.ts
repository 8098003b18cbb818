import { addresses, choice, integer, list, string, systemSettings, url, type Config } from "@tally/service";

/** The gateway's settings. */
export const gatewaySettings = {
  ...systemSettings,
  port: integer("PORT", {
    min: 0,
    max: 65_535,
    default: 8080,
    says: "where the gateway listens; 0 takes any free port",
  }),
  host: string("HOST", { default: "0.0.0.0", says: "on which address it listens" }),
  auth: choice("AUTH", {
    of: ["required", "off"],
    default: "required",
    says: "whether requests need an API key; off only where HOST is a loopback address, or with AUTH_OFF_CONFIRMED",
  }),
  authOffConfirmed: choice("AUTH_OFF_CONFIRMED", {
    of: ["no", "yes"],
    default: "no",
    says: "yes: AUTH=off is meant, though clients on other machines can reach the gateway",
  }),
  rateLimitPerKey: integer("RATE_LIMIT_PER_KEY", {
    min: 0,
    max: 1_000_000,
    unit: "events/s",
    default: 0,
    says: "the rate of each key without its own limit; 0: no limit",
  }),
  rateLimitPerKeyBurst: integer("RATE_LIMIT_PER_KEY_BURST", {
    min: 1,
    max: 1_000_000,
    default: 1000,
    says: "events that such a key may send at once, and the most entries in one of its requests",
  }),
  rateLimitPerAddress: integer("RATE_LIMIT_PER_ADDRESS", {
    min: 0,
    max: 1_000_000,
    unit: "events/s",
    default: 0,
    says: "the rate of each address, for requests without a valid key; 0: no limit",
  }),
  rateLimitPerAddressBurst: integer("RATE_LIMIT_PER_ADDRESS_BURST", {
    min: 1,
    max: 1_000_000,
    default: 1000,
    says: "events that such an address may send at once, and the most entries in one of its requests",
  }),
  rateLimitFails: choice("RATE_LIMIT_FAILS", {
    of: ["open", "closed"],
    default: "open",
    says: "while Redis cannot check a limit, requests are accepted (open) or get 503 (closed)",
  }),
  basePaths: list("BASE_PATHS", {
    default: [],
    says: 'further paths under which the same routes are mounted; "/" mounts at the root what base paths have besides',
  }),
  bodyBytesMax: integer("BODY_BYTES_MAX", {
    min: 1024,
    max: 1024 * 1024,
    unit: "bytes",
    default: 128 * 1024,
    says: "the largest body of a single event, and the largest entry of a bulk request; a purchase of 500 items needs 25 to 51 kB",
  }),
  bulkBytesMax: integer("BULK_BYTES_MAX", {
    min: 1024,
    // Scanned at once, before it is parsed entry by entry: about 2 ms for each MiB.
    max: 4 * 1024 * 1024,
    unit: "bytes",
    default: 2 * 1024 * 1024,
    says: "the largest body of a bulk request; 1,000 purchases of 20 items need 0.9 to 1.6 MB",
  }),
  formPartBytesMax: integer("FORM_PART_BYTES_MAX", {
    min: 1024,
    // With what is around it below the 16 MiB that RabbitMQ 4 takes as one message.
    max: 15 * 1024 * 1024,
    unit: "bytes",
    default: 10 * 1024 * 1024,
    says: "the largest part of a form, such as a picture",
  }),
  batchEventsMax: integer("BATCH_EVENTS_MAX", { min: 1, max: 10_000, default: 256, says: "events in one batch" }),
  batchBytesMax: integer("BATCH_BYTES_MAX", {
    min: 1024,
    max: 512 * 1024,
    unit: "bytes",
    default: 64 * 1024,
    says: "a batch closes before it grows over this; a single larger event goes alone",
  }),
  batchEveryMs: integer("BATCH_EVERY_MS", {
    min: 0,
    max: 1000,
    unit: "ms",
    default: 5,
    says: "while several go on coming, a millisecond apart at most, batches that are not full go so often; who comes alone waits for nobody",
  }),
  batchesInFlightMax: integer("BATCHES_IN_FLIGHT_MAX", {
    min: 1,
    max: 1000,
    default: 8,
    says: "published batches that may wait for their confirm, for each domain",
  }),
  waitingMax: integer("WAITING_MAX", {
    min: 1,
    max: 1_000_000,
    default: 10_000,
    says: "events that may wait for their confirm, for each domain; further ones get 503 at once",
  }),
  waitingBytesMax: integer("WAITING_BYTES_MAX", {
    // Less would never let the largest in.
    min: 32 * 1024 * 1024,
    max: 64 * 1024 * 1024 * 1024,
    unit: "bytes",
    default: 128 * 1024 * 1024,
    says: "bytes of such events, for each domain; a few times as much memory is needed",
  }),
  bodiesBytesMax: integer("BODIES_BYTES_MAX", {
    // Room for the largest form.
    min: 16 * 1024 * 1024,
    max: 64 * 1024 * 1024 * 1024,
    unit: "bytes",
    default: 128 * 1024 * 1024,
    says: "bytes of all bodies above 16 KiB that have arrived and are not answered, and the same again of pictures on their way out; further ones get 503",
  }),
  bodiesBytesPerAddressMax: integer("BODIES_BYTES_PER_ADDRESS_MAX", {
    min: 16 * 1024 * 1024,
    max: 64 * 1024 * 1024 * 1024,
    unit: "bytes",
    default: 64 * 1024 * 1024,
    says: "the share of either that one client address may hold",
  }),
  connectionsMax: integer("CONNECTIONS_MAX", {
    min: 1,
    max: 1_000_000,
    default: 10_000,
    says: "open connections; further ones are closed at once",
  }),
  connectionsPerAddressMax: integer("CONNECTIONS_PER_ADDRESS_MAX", {
    min: 1,
    max: 1_000_000,
    default: 4096,
    says: "open connections of one client address; those of TRUST_PROXY are not limited",
  }),
  trustProxy: addresses("TRUST_PROXY", {
    default: [],
    says: "load balancers whose X-Forwarded-For names the client address; without them every client behind one is the same address",
  }),
  confirmWithinMs: integer("CONFIRM_WITHIN_MS", {
    min: 10,
    max: 120_000,
    unit: "ms",
    default: 5000,
    says: "how long an event waits for its confirm before its client gets 503",
  }),
  doorRedisUrl: url("DOOR_REDIS_URL", {
    protocols: ["redis:", "rediss:"],
    default: "",
    says: "the Redis of idempotency keys and rate limits; none: that of REDIS_URL",
  }),
  keysRememberedSeconds: integer("KEYS_REMEMBERED_SECONDS", {
    min: 1,
    max: 31 * 86_400,
    unit: "s",
    default: 86_400,
    says: "how long a gateway answers 422 to an Idempotency-Key with other content; after that the writer makes it a dead letter",
  }),
  queryWithinMs: integer("QUERY_WITHIN_MS", {
    min: 10,
    max: 120_000,
    unit: "ms",
    default: 5000,
    says: "how long a query may take",
  }),
  recentBytesMax: integer("RECENT_BYTES_MAX", {
    min: 0,
    max: 64 * 1024 * 1024 * 1024,
    unit: "bytes",
    default: 16 * 1024 * 1024,
    says: "bytes of the newest events that are looked up by their id, kept in memory for each domain",
  }),
  headersWithinMs: integer("HEADERS_WITHIN_MS", {
    min: 100,
    max: 600_000,
    unit: "ms",
    default: 10_000,
    says: "how long the head of a request may take from its first byte, or from the opening of the connection, before its client gets 408",
  }),
  bodyWithinMs: integer("BODY_WITHIN_MS", {
    min: 100,
    max: 600_000,
    unit: "ms",
    default: 30_000,
    says: "how long the whole request may take from its first byte, before its client gets 408",
  }),
  healthPort: integer("GATEWAY_HEALTH_PORT", {
    min: 0,
    max: 65_535,
    default: 8083,
    says: "where /health and /metrics answer, for operators only; 0 takes any free port",
  }),
  healthHost: string("GATEWAY_HEALTH_HOST", { default: "0.0.0.0", says: "on which address they answer" }),
  foundWithinMs: integer("FOUND_WITHIN_MS", {
    min: 10,
    max: 120_000,
    unit: "ms",
    default: 3000,
    says: "how long a look-up waits for an event that was accepted and is not stored yet, before its client gets 503",
  }),
} as const;

export type GatewayConfig = Config<typeof gatewaySettings>;
