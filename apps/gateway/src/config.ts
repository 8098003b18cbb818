import { choice, integer, list, string, systemSettings, url, type Config } from "@tally/service";
import { trustProxy } from "./admission/trust-proxy.ts";

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
  trustProxy: trustProxy("TRUST_PROXY", {
    default: "",
    says: "the proxies whose X-Forwarded-For is believed about a client's address",
  }),
  rateLimitPerKey: integer("RATE_LIMIT_PER_KEY", {
    min: 0,
    max: 1_000_000,
    unit: "events/s",
    default: 0,
    says: "the rate of each key that has no limit of its own; 0: no limit",
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
    max: 1024 * 1024 * 1024,
    unit: "bytes",
    default: 1024 * 1024,
    says: "the largest body of a single event",
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
    says: "bytes of such events, for each domain, of forms under way, and of pictures on their way out; a few times as much memory is needed",
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
  foundWithinMs: integer("FOUND_WITHIN_MS", {
    min: 10,
    max: 120_000,
    unit: "ms",
    default: 3000,
    says: "how long a look-up waits for an event that was accepted and is not stored yet, before its client gets 503",
  }),
} as const;

export type GatewayConfig = Config<typeof gatewaySettings>;
