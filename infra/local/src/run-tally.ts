import { join } from "node:path";
import { runCommand } from "./run-command.ts";
import type { Addresses } from "./services.ts";

/** What the apps and the command `tally` are told in their environment about where the services answer. */
export function addressVariables(addresses: Addresses): NodeJS.ProcessEnv {
  return {
    AMQP_URL: addresses.amqpUrl,
    DATABASE_WRITE_URL: addresses.databaseWriteUrl,
    DATABASE_READ_URL: addresses.databaseReadUrl,
    REDIS_URL: addresses.redisUrl,
  };
}

/** Runs the command `tally` of a checkout, as its users do, with nothing in its environment but what is given. */
export function runTally(root: string, environment: NodeJS.ProcessEnv, args: readonly string[]) {
  return runCommand(process.execPath, [join(root, "apps", "admin", "src", "main.ts"), ...args], { environment });
}
