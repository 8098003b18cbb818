import { readConfigOrExit, runFleetApp } from "@tally/runtime";
import { fleetHeartbeats } from "@tally/telemetry";
import { writerSettings } from "@tally/writer";

/* The writer of several-queues, started instead of the app's main.ts. */

const config = readConfigOrExit(writerSettings);
await runFleetApp({
  name: "writer",
  config,
  module: new URL("writer-thread.ts", import.meta.url),
  openReporter: (log) => fleetHeartbeats("writer", config, log),
});
