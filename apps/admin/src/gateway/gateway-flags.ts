import { readConfigOrExit, secret, url } from "@tally/runtime";
import { origin } from "@tally/runtime/flag-values";
import { Option, type Command } from "commander";
import { Gateway } from "./gateway.ts";

/** The settings of commands that talk to a gateway. `pnpm dev` provides TALLY_URL to `pnpm tally`. */
export const gatewaySettings = {
  url: url("TALLY_URL", "the gateway that `top`, `send` and `import` use, without a path", {
    protocols: ["http:", "https:"],
    default: "http://127.0.0.1:8080",
  }),
  apiKey: secret("TALLY_API_KEY", "the API key that they send", { default: "" }),
} as const;

export interface GatewayFlags {
  readonly url?: string;
}

/** Adds --url. */
export function withGatewayFlags(command: Command): Command {
  return command.addOption(new Option("--url <origin>", "the gateway (default: TALLY_URL)").argParser(origin));
}

/** The gateway of the flag or of the environment. Exits with 2 for a wrong variable. */
export function gatewayOf({ url: flag }: GatewayFlags): Gateway {
  const { url: fromEnvironment, apiKey } = readConfigOrExit(gatewaySettings);
  return new Gateway({ url: (flag ?? fromEnvironment).replace(/\/+$/, ""), apiKey });
}
