import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServices } from "@tally/local";
import type { TestProject } from "vitest/node";

const root = join(import.meta.dirname, "..");

/**
 * Builds the page that the gateways serve. Starts the services once for the whole run, on free ports in a separate directory; deletes all of
 * it at the end.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await promisify(execFile)(process.execPath, [join(root, "apps", "dashboard", "build", "main.ts")]);
  const directory = join(root, ".tally", `test-${randomBytes(4).toString("hex")}`);
  const services = await startServices({
    directory,
    database: "tally_test",
    keepData: false,
    docker: "never",
    redoLogMiB: 64,
    say: (line) => process.stdout.write(`  ${line}\n`),
  });
  project.provide("services", { ...services.addresses, accounts: services.accounts });
  project.provide("servicesDirectory", services.source === "environment" ? "" : directory);
  return () => services.stop();
}
