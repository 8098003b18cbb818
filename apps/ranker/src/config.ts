import { integer, string, systemSettings, type Config } from "@tally/service";

/** The ranker's settings. */
export const rankerSettings = {
  ...systemSettings,
  threads: integer("RANKER_THREADS", {
    min: 1,
    max: 256,
    // A ranker hands messages on as they are; one thread of it keeps more than one Redis busy.
    default: 1,
    description: "threads, each with its own consumers and connections",
  }),
  prefetch: integer("RANKER_PREFETCH", {
    min: 1,
    max: 10_000,
    default: 8,
    description: "batches a thread holds unacknowledged, for each domain",
  }),
  movesKeptSeconds: integer("RANKER_MOVES_KEPT_SECONDS", {
    min: 60,
    max: 31_536_000,
    unit: "s",
    default: 3600,
    description:
      "how long the ledger keeps the moves of a ranked batch; a Redis that lost more than that is built anew from the rows",
  }),
  healthPort: integer("RANKER_HEALTH_PORT", {
    min: 0,
    max: 65_535,
    default: 8082,
    description: "where /health and /metrics answer; 0 takes any free port",
  }),
  healthHost: string("RANKER_HEALTH_HOST", { default: "0.0.0.0", description: "on which address they answer" }),
} as const;

export type RankerConfig = Config<typeof rankerSettings>;
