export { gatewayLimits, gatewaySettings, type GatewayLimits } from "./config.ts";
export { catalogue } from "./errors/catalogue.ts";
export { gatewayMetrics } from "./gateway-metrics.ts";
export { responseTimesMetric } from "./http/connection/response-times.ts";
export { openIntake, type Commit } from "./ingest/intake.ts";
export { runGateway } from "./run-gateway.ts";
