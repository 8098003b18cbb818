export { writerSettings, type WriterConfig } from "./config.ts";
export { writerMetrics } from "./writer-metrics.ts";
export { startWriterThread, type WriterParts } from "./thread.ts";
