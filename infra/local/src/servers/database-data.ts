import { existsSync } from "node:fs";
import { cp, rename, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import type { ServerContext } from "./context.ts";
import { dataDirectory, type DatabaseEngine, type DatabasePrograms } from "./database-engine.ts";

/**
 * Creates the data that is missing, while no server runs: the primary's from nothing, the replica's as a copy of the primary's.
 * Each folder is created under another name and then renamed, so that an existing folder is complete. Returns true when the replica is a
 * copy that still needs its position in the primary's log; delete `unadoptedFile` when it has it.
 */
export async function prepareDatabaseData(
  engine: DatabaseEngine,
  programs: DatabasePrograms,
  context: ServerContext,
): Promise<boolean> {
  const primary = dataDirectory("primary", context);
  const replica = dataDirectory("replica", context);
  if (!existsSync(primary)) {
    context.say(`Preparing a ${engine.name} primary and replica (first start)`);
    await rm(`${primary}.new`, { recursive: true, force: true });
    await engine.initialise(`${primary}.new`, programs, context);
    await rm(replica, { recursive: true, force: true });
    await rename(`${primary}.new`, primary);
  }
  if (existsSync(replica) && !existsSync(unadoptedFile(context))) return false;
  await rm(replica, { recursive: true, force: true });
  await rm(`${replica}.new`, { recursive: true, force: true });
  await writeFile(unadoptedFile(context), "");
  await cp(primary, `${replica}.new`, { recursive: true, filter: (path) => !primaryOnly.test(basename(path)) });
  await rename(`${replica}.new`, replica);
  return true;
}

// The binary log, and the server id that MySQL writes into the folder.
const primaryOnly = /^(binlog\..*|auto\.cnf)$/;

/** The file that exists until the replica has its position. */
export const unadoptedFile = (context: ServerContext): string => `${dataDirectory("replica", context)}.unadopted`;
