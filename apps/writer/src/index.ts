export { writerSettings } from "./config.ts";
export { writerMetrics } from "./writer-metrics.ts";
