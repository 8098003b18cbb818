export { rankerSettings } from "./config.ts";
export { rankerMetrics } from "./ranker-metrics.ts";
