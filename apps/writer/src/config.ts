import { availableParallelism } from "node:os";
import { domains, measures } from "@tally/domains";
import { changeFeedSetting, fleetAppSettings, integer, seriesSettings, type Config } from "@tally/runtime";

// Half of the cores; the other half is for the gateway and the servers, for which a thread mostly waits.
const threads = Math.max(1, Math.floor(availableParallelism() / 2));

const names = domains.map(({ name }) => name);

export const writerSettings = {
  ...fleetAppSettings("WRITER", names, { threads, healthPort: 8081 }),
  ...seriesSettings(measures),
  changeFeed: changeFeedSetting,
  eventsPerTransaction: integer(
    "WRITER_EVENTS_PER_TRANSACTION",
    "a transaction takes waiting batches up to this number of events",
    { min: 1, max: 100_000, default: 2000 },
  ),
  prefetch: integer("WRITER_PREFETCH", "batches a thread holds unacknowledged, for each domain", {
    min: 1,
    max: 10_000,
    default: 16,
  }),
} as const;

export type WriterConfig = Config<typeof writerSettings>;
