import { choice, integer, string, url, urls } from "./setting.ts";

/** What every app of one system is told alike: where the servers are, and what keeps this system apart from others there. */
export const systemSettings = {
  amqpUrl: urls("AMQP_URL", {
    protocols: ["amqp:", "amqps:"],
    description: "the message broker, each node of a cluster",
  }),
  databaseWriteUrl: url("DATABASE_WRITE_URL", { protocols: ["mysql:"], description: "the database's write endpoint" }),
  databaseReadUrl: url("DATABASE_READ_URL", { protocols: ["mysql:"], description: "the database's read endpoint" }),
  redisUrl: url("REDIS_URL", { protocols: ["redis:", "rediss:"], description: "the Redis or Valkey of the rankings" }),
  namespace: string("NAMESPACE", {
    default: "tally",
    description: "prefix of queues and Redis keys; keeps several systems apart on the same servers",
  }),
  rankingShards: integer("RANKING_SHARDS", {
    min: 1,
    max: 1024,
    default: 1,
    description:
      "over how many Redis hash slots each domain's rankings are spread; the same for all apps, fixed with the data",
  }),
  logLevel: choice("LOG_LEVEL", {
    of: ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
    default: "info",
    description: "the least level that is logged",
  }),
  healthKeptMs: integer("HEALTH_KEPT_MS", {
    min: 0,
    max: 60_000,
    unit: "ms",
    default: 1000,
    description: "how long an answer of /health/ready or /metrics is given again before it is computed anew",
  }),
  stopWithinMs: integer("STOP_WITHIN_MS", {
    min: 100,
    max: 600_000,
    unit: "ms",
    default: 20_000,
    description: "how long a stop may take before what is left is given up",
  }),
} as const;
