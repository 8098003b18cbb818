import { readConfigOrExit, runFleetApp } from "@tally/runtime";
import { fleetHeartbeats } from "@tally/telemetry";
import { writerSettings } from "./config.ts";

const config = readConfigOrExit(writerSettings);
await runFleetApp({
  name: "writer",
  config,
  module: new URL("thread.ts", import.meta.url),
  openReporter: (log) => fleetHeartbeats("writer", config, log),
});
