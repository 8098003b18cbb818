import { join } from "node:path";
import { runCommand } from "../process/run-command.ts";

/**
 * Builds the page that the gateway serves, unless it is built from the same sources. Returns a line for the user. Never throws: without
 * its page the system works.
 */
export async function buildPage(root: string, signal: AbortSignal): Promise<string> {
  const command = join(root, "apps", "dashboard", "build", "main.ts");
  const { exitCode, output, errors } = await runCommand(process.execPath, [command], {
    environment: process.env,
    signal,
  });
  return exitCode === 0 ? output.trim() : `page: cannot be built; GET / responds with 404:\n${output}${errors}`;
}
