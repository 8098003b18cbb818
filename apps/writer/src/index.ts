export { writerSettings, type WriterConfig } from "./config.ts";
export { startWriterThread, type WriterParts } from "./thread.ts";
