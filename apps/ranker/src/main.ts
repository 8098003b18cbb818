import { createLogger, readConfigOrExit, runService } from "@tally/service";
import { rankerSettings } from "./config.ts";
import { startRanker } from "./start-ranker.ts";

const config = readConfigOrExit(rankerSettings);
const log = createLogger({ name: "ranker", level: config.logLevel });

await runService({
  name: "ranker",
  log,
  start: (stopAsked) => startRanker(config, log, stopAsked),
  stopWithinMs: config.stopWithinMs,
});
