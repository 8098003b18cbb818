import { ConfigError } from "@tally/service";
import { addressesIn } from "../http/connection/client-address.ts";

const isLoopback = addressesIn(["127.0.0.0/8", "::1"]);

/** Throws a ConfigError when clients on other machines can reach the gateway without a key, unless that is confirmed. */
export function forbidOpenToOthers(config: {
  readonly auth: "required" | "off";
  readonly authOffConfirmed: "no" | "yes";
  readonly host: string;
}): void {
  const { auth, authOffConfirmed, host } = config;
  if (auth === "required" || authOffConfirmed === "yes" || host === "localhost" || isLoopback(host)) return;
  const expected = "required; or off with a HOST on a loopback address, or with AUTH_OFF_CONFIRMED=yes";
  throw new ConfigError([{ variable: "AUTH", expected, got: `off with HOST=${host}` }]);
}
