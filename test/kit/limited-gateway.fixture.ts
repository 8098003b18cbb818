import { join } from "node:path";
import { gatewaySettings, startGateway, type GatewayLimits } from "@tally/gateway";
import { createLogger, readConfigOrExit, runService } from "@tally/runtime";

/*
 * A gateway with other limits, started as a process instead of the app's main.ts. Its argument are the limits, as JSON.
 */

/** What starts it, for the option `gatewayMain`. */
export function gatewayWith(limits: Partial<GatewayLimits>): readonly string[] {
  return [join(import.meta.dirname, "limited-gateway.fixture.ts"), JSON.stringify(limits)];
}

if (import.meta.main) {
  const config = readConfigOrExit(gatewaySettings);
  const log = createLogger({ name: "gateway", level: config.logLevel });
  const limits: Partial<GatewayLimits> = JSON.parse(process.argv[2] ?? "{}");
  await runService({
    name: "gateway",
    log,
    start: (stopAsked) => startGateway(config, log, stopAsked, { limits }),
    stopWithinMs: config.drainMs + config.stopWithinMs,
  });
}
