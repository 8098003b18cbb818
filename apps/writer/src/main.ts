import { createLogger, readConfigOrExit, runService } from "@tally/service";
import { writerSettings } from "./config.ts";
import { startWriter } from "./start-writer.ts";

const config = readConfigOrExit(writerSettings);
const log = createLogger({ name: "writer", level: config.logLevel });

await runService({
  name: "writer",
  log,
  start: (stopAsked) => startWriter(config, log, stopAsked),
  stopWithinMs: config.stopWithinMs,
});
