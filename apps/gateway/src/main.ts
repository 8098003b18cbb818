import { createLogger, readConfigOrExit, runService } from "@tally/runtime";
import { gatewaySettings } from "./config.ts";
import { startGateway } from "./start-gateway.ts";

const config = readConfigOrExit(gatewaySettings);
const log = createLogger({ name: "gateway", level: config.logLevel });

await runService({
  name: "gateway",
  log,
  start: (stopAsked) => startGateway(config, log, stopAsked),
  stopWithinMs: config.drainMs + config.stopWithinMs,
});
