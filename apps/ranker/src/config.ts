import { domains, measures } from "@tally/domains";
import { changeFeedSetting, fleetAppSettings, integer, seriesSettings, type Config } from "@tally/runtime";

const names = domains.map(({ name }) => name);

/** One thread keeps more than one Redis busy: it passes messages on without reading their moves. */
export const rankerSettings = {
  ...fleetAppSettings("RANKER", names, { threads: 1, healthPort: 8082 }),
  ...seriesSettings(measures),
  changeFeed: changeFeedSetting,
  batchesKeptSeconds: integer(
    "RANKER_BATCHES_KEPT_SECONDS",
    "how long the ledger keeps a ranked batch at least, and twice as long at most; a Redis that lost more is rebuilt",
    { min: 60, max: 31_536_000, unit: "s", default: 43_200 },
  ),
} as const;

export type RankerConfig = Config<typeof rankerSettings>;
