export {
  type Config,
  type ConfigRow,
  type ConfigSchema,
  configTable,
  describeConfig,
  readConfig,
  readConfigOrExit,
} from "./config.ts";
export { ConfigError, type ConfigProblem } from "./config-error.ts";
export { systemSettings } from "./system-settings.ts";
export { type Setting, addresses, choice, integer, list, string, url } from "./setting.ts";
export { type LoggerOptions, createLogger } from "./create-logger.ts";
export type { Logger } from "pino";
export { type MetricsOptions, createMetrics, mergeMetrics } from "./metrics.ts";
export { Counter, Gauge, Histogram, type Registry } from "prom-client";
export { type Check, type Health } from "./health.ts";
export { type HealthServer, type HealthServerOptions, startHealthServer } from "./start-health-server.ts";
export { type ServiceOptions, runService } from "./run-service.ts";
