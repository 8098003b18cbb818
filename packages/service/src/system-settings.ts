import { choice, integer, string, url, urls } from "./setting.ts";

/** The settings that every app of a system shares: the servers' addresses, and what separates this system from others on them. */
export const systemSettings = {
  amqpUrl: urls("AMQP_URL", {
    protocols: ["amqp:", "amqps:"],
    description: "the message broker, each node of a cluster",
  }),
  databaseWriteUrl: url("DATABASE_WRITE_URL", {
    protocols: ["mysql:"],
    description: "the database's write endpoint",
  }),
  databaseReadUrl: url("DATABASE_READ_URL", { protocols: ["mysql:"], description: "the database's read endpoint" }),
  redisUrl: url("REDIS_URL", {
    protocols: ["redis:", "rediss:"],
    description: "the Redis or Valkey of the rankings",
  }),
  namespace: string("NAMESPACE", {
    default: "tally",
    description: "prefix of queues and Redis keys; separates several systems on the same servers",
  }),
  rankingShards: integer("RANKING_SHARDS", {
    min: 1,
    max: 1024,
    default: 1,
    description:
      "number of Redis hash slots for the rankings of each domain; the same for all apps, fixed with the data",
  }),
  logLevel: choice("LOG_LEVEL", {
    of: ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
    default: "info",
    description: "the lowest level that is logged",
  }),
  healthKeptMs: integer("HEALTH_KEPT_MS", {
    min: 0,
    max: 60_000,
    unit: "ms",
    default: 1000,
    description: "how long a result of /health/ready or /metrics is reused before it is computed again",
  }),
  stopWithinMs: integer("STOP_WITHIN_MS", {
    min: 100,
    max: 600_000,
    unit: "ms",
    default: 20_000,
    description: "how long a stop may take before the process exits anyway",
  }),
} as const;
