import { join } from "node:path";
import { runCommand, type CommandOptions } from "../process/run-command.ts";
import type { Addresses } from "../services/services.ts";

/** What the apps and the command `tally` are told in their environment about where the services answer. */
export function addressVariables(addresses: Addresses): NodeJS.ProcessEnv {
  return {
    AMQP_URL: addresses.amqpUrl,
    DATABASE_WRITE_URL: addresses.databaseWriteUrl,
    DATABASE_READ_URL: addresses.databaseReadUrl,
    REDIS_URL: addresses.redisUrl,
    // Of the environment that these are added to.
    AMQP_URL_FILE: "",
    DATABASE_WRITE_URL_FILE: "",
    DATABASE_READ_URL_FILE: "",
    REDIS_URL_FILE: "",
  };
}

/** Runs the command `tally` of a checkout, as its users do, with nothing in its environment but what is given; `signal` kills it. */
export function runTally(
  root: string,
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
  options: Pick<CommandOptions, "signal"> = {},
) {
  const command = join(root, "apps", "admin", "src", "main.ts");
  return runCommand(process.execPath, [command, ...args], { environment, ...options });
}
