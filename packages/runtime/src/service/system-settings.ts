import { choice, integer, redisUrl, string, subset, url, urls } from "./setting.ts";

/** The settings that every app of a system shares: the servers' addresses, and what separates this system from others on them. */
export const systemSettings = {
  amqpUrl: urls("AMQP_URL", "the message broker, each node of a cluster", { protocols: ["amqp:", "amqps:"] }),
  databaseWriteUrl: url("DATABASE_WRITE_URL", "the database's write endpoint", { protocols: ["mysql:"] }),
  databaseReadUrl: urls("DATABASE_READ_URL", "the database's read endpoint, each server of several", {
    protocols: ["mysql:"],
  }),
  redisUrl: redisUrl("REDIS_URL", "the Redis or Valkey of the rankings", {}),
  namespace: string("NAMESPACE", "prefix of queues and Redis keys; separates several systems on the same servers", {
    default: "tally",
  }),
  rankingShards: integer(
    "RANKING_SHARDS",
    "number of Redis hash slots for the rankings of a domain that has none yet; `tally rebuild --shards` changes it, and all apps follow the data",
    { min: 1, max: 1024, default: 1 },
  ),
  logLevel: choice("LOG_LEVEL", "the lowest level that is logged", {
    of: ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
    default: "info",
  }),
  otlpEndpoint: url(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "where the steps of traced events are sent, as OTLP over HTTP; none: they are lines of the log",
    { protocols: ["http:", "https:"], default: "" },
  ),
  host: string("HOST", "the address on which the app listens, for clients and operators", { default: "0.0.0.0" }),
  stopWithinMs: integer("STOP_WITHIN_MS", "how long a stop may take before the process exits anyway", {
    min: 100,
    max: 600_000,
    unit: "ms",
    default: 20_000,
  }),
} as const;

/** The domains that an app serves, of all that exist. */
export const domainsSetting = <const Name extends string>(names: readonly Name[]) =>
  subset("DOMAINS", "the domains that this app serves; absent: all", { of: names });
