import { createLogger, readConfigOrExit, runService } from "@tally/runtime";
import { gatewaySettings } from "./config.ts";
import { startGateway, type GatewayOptions } from "./start-gateway.ts";

/** The main function of a gateway: runs it with the settings of the environment until a signal, then exits. */
export async function runGateway(options?: GatewayOptions): Promise<void> {
  const config = readConfigOrExit(gatewaySettings);
  const log = createLogger({ name: "gateway", level: config.logLevel });
  await runService({
    name: "gateway",
    log,
    start: (stopAsked) => startGateway(config, log, stopAsked, options),
    stopWithinMs: config.drainMs + config.stopWithinMs,
  });
}
