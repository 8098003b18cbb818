import { join } from "node:path";
import { type CommandOptions, runCommand } from "../process/run-command.ts";

/** Runs the command `tally` of a checkout, as its users do, with only this environment. `signal` kills it. */
export function runTally(
  root: string,
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
  options: Pick<CommandOptions, "signal"> = {},
) {
  const command = join(root, "apps", "admin", "src", "main.ts");
  return runCommand(process.execPath, [command, ...args], { environment, ...options });
}
