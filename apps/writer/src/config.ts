import { availableParallelism } from "node:os";
import { domains, measures } from "@tally/domains";
import { changeFeedSetting, fleetAppSettings, integer, seriesSettings, type Config } from "@tally/runtime";

// Half of the cores; the other half is for the gateway and the servers, for which a thread mostly waits.
const threads = Math.max(1, Math.floor(availableParallelism() / 2));

const names = domains.map(({ name }) => name);

export const writerSettings = {
  ...fleetAppSettings("WRITER", names, { threads, prefetch: 16, healthPort: 8081 }),
  ...seriesSettings(measures),
  changeFeed: changeFeedSetting,
  eventsPerTransaction: integer(
    "WRITER_EVENTS_PER_TRANSACTION",
    "a transaction takes waiting batches up to this number of events",
    { min: 1, max: 100_000, default: 2000 },
  ),
  transactionEveryMs: integer(
    "WRITER_TRANSACTION_EVERY_MS",
    "shortest time between the starts of two transactions of a domain, unless one is full or half of the prefetch waits",
    { min: 0, max: 1000, unit: "ms", default: 100 },
  ),
} as const;

export type WriterConfig = Config<typeof writerSettings>;
