import { join } from "node:path";
import { runGateway, type GatewayLimits } from "@tally/gateway";

/*
 * A gateway with other limits, started as a process instead of the app's main.ts. Its argument are the limits, as JSON.
 */

/** What starts it, for the option `gatewayMain`. */
export function gatewayWith(limits: Partial<GatewayLimits>): readonly string[] {
  return [join(import.meta.dirname, "limited-gateway.fixture.ts"), JSON.stringify(limits)];
}

if (import.meta.main) {
  const limits: Partial<GatewayLimits> = JSON.parse(process.argv[2] ?? "{}");
  await runGateway({ limits });
}
