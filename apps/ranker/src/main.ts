import { readConfigOrExit, runFleetApp } from "@tally/runtime";
import { fleetHeartbeats } from "@tally/telemetry";
import { rankerSettings } from "./config.ts";

const config = readConfigOrExit(rankerSettings);
await runFleetApp({
  name: "ranker",
  config,
  module: new URL("thread.ts", import.meta.url),
  openReporter: (log) => fleetHeartbeats("ranker", config, log),
});
