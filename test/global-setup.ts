import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { claimDirectory, ServiceError, startServices } from "@tally/local";
import type { TestProject } from "vitest/node";

// Vitest exits at the other signals, and an exit stops the servers.
process.once("SIGHUP", () => process.exit(129));

const root = join(import.meta.dirname, "..");

/** Starts the services once for the whole run, on free ports in a separate directory; deletes all of it at the end.
 * Without servers the run ends with one sentence and the status 2. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(join(root, "apps", "dashboard", "dist", "index.html")))
    throw new Error("the page is not built: run pnpm build");
  const say = (line: string): void => void process.stdout.write(`  ${line}\n`);
  const { directory, release } = await claimDirectory(join(root, ".tally"), `test-${project.name}`, say);
  const own = { directory: join(directory, "services"), database: "tally_test", keepData: false, redoLogMiB: 64 };
  const services = await startServices({ ...own, say }).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  });
  project.provide("services", { ...services.addresses, accounts: services.accounts });
  project.provide("runDirectory", directory);
  project.provide("servicesDirectory", services.source === "programs" ? own.directory : "");
  return async () => {
    await services.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    await release();
  };
}
