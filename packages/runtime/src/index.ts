export { type Config, readConfig, readConfigOrExit, ConfigError, serviceErrors } from "./service/config.ts";
export { domainsSetting, systemSettings } from "./service/system-settings.ts";
export { addresses, choice, integer, list, redisUrl, type Setting, secret, string, url } from "./service/setting.ts";
export { createLogger, recentProblems, type LoggedProblem } from "./service/create-logger.ts";
export { type Logger } from "pino";
export {
  createMetrics,
  mergeMetrics,
  histogramLines,
  type MetricDescription,
  poolMetrics,
  type PoolState,
} from "./service/metrics.ts";
export { Counter, Gauge, Histogram, type Registry } from "prom-client";
export { type Health, type HealthServer, startHealthServer } from "./service/start-health-server.ts";
export { runService } from "./service/run-service.ts";
export { backOff, backOffMs, type FailureClass } from "./failures/back-off.ts";
export { CataloguedError, type CatalogueEntry, type ErrorCatalogue, reasonOf } from "./failures/errors.ts";
export { silentLog, type Log, Outage } from "./failures/log.ts";
export {
  fleetMetrics,
  fleetAppSettings,
  runFleetApp,
  type FleetAppConfig,
  type FleetReporter,
} from "./threads/run-fleet-app.ts";
export { type ThreadBody, runThread } from "./threads/run-thread.ts";
