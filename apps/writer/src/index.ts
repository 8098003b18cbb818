export { writerSettings, type WriterConfig } from "./config.ts";
export { writerMetrics } from "./writer-metrics.ts";
