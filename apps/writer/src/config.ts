import { defaultThreads } from "@tally/fleet";
import { integer, string, systemSettings, type Config } from "@tally/service";

/** The writer's settings. */
export const writerSettings = {
  ...systemSettings,
  threads: integer("WRITER_THREADS", {
    min: 1,
    max: 256,
    default: defaultThreads(),
    description: "threads, each with its own consumers and connections",
  }),
  prefetch: integer("WRITER_PREFETCH", {
    min: 1,
    max: 10_000,
    default: 16,
    description: "batches a thread holds unacknowledged, for each domain",
  }),
  eventsPerTransaction: integer("WRITER_EVENTS_PER_TRANSACTION", {
    min: 1,
    max: 100_000,
    default: 2000,
    description: "a transaction takes waiting batches until it holds so many events",
  }),
  bytesPerTransaction: integer("WRITER_BYTES_PER_TRANSACTION", {
    min: 64 * 1024,
    max: 1024 * 1024 * 1024,
    unit: "bytes",
    default: 4 * 1024 * 1024,
    description: "or so many bytes; a single larger batch goes alone",
  }),
  transactionEveryMs: integer("WRITER_TRANSACTION_EVERY_MS", {
    min: 0,
    max: 1000,
    unit: "ms",
    default: 100,
    description:
      "a transaction that is not full begins so long after the one before it, for each domain, unless half of the prefetch waits",
  }),
  statementWithinMs: integer("WRITER_STATEMENT_WITHIN_MS", {
    min: 100,
    max: 600_000,
    unit: "ms",
    default: 30_000,
    description: "how long one statement may take before its connection is given up and the transaction begins again",
  }),
  healthPort: integer("WRITER_HEALTH_PORT", {
    min: 0,
    max: 65_535,
    default: 8081,
    description: "where /health and /metrics answer; 0 takes any free port",
  }),
  healthHost: string("WRITER_HEALTH_HOST", { default: "0.0.0.0", description: "on which address they answer" }),
} as const;

export type WriterConfig = Config<typeof writerSettings>;
