import { BlockList, isIP } from "node:net";
import { ConfigError } from "@tally/service";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Throws a ConfigError for a gateway that clients on other machines reach without a key, unless that is confirmed. */
export function forbidOpenToOthers(config: {
  readonly auth: "required" | "off";
  readonly authOffConfirmed: "no" | "yes";
  readonly host: string;
}): void {
  const { auth, authOffConfirmed, host } = config;
  if (auth === "required" || authOffConfirmed === "yes" || isLoopback(host)) return;
  const expected = "required; or off with a HOST on a loopback address, or with AUTH_OFF_CONFIRMED=yes";
  throw new ConfigError([{ variable: "AUTH", expected, got: `off with HOST=${host}` }]);
}

function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const version = isIP(host);
  return version !== 0 && loopback.check(host, version === 4 ? "ipv4" : "ipv6");
}
