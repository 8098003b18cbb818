import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startServices } from "@tally/local";
import type { TestProject } from "vitest/node";

const root = join(import.meta.dirname, "..");

/** Starts the services once for the whole run, on free ports in a separate directory; deletes all of it at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(join(root, "apps", "dashboard", "dist", "index.html")))
    throw new Error("the page is not built: run pnpm build");
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
