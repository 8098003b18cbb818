import { existsSync } from "node:fs";
import { cp, rename, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import type { DatabaseEngine, DatabasePrograms } from "./database-engine.ts";
import { dataDirectory } from "./database-server.ts";
import type { Workshop } from "./context.ts";

/**
 * Makes the data that is missing, while no server runs: the primary's from nothing, the replica's as a copy of the primary's.
 * Each folder is made under another name and then renamed, so that one that exists is whole. True when the replica is a copy
 * that has not been told yet at which position it was taken; `replicaAdopted` ends that.
 */
export async function prepareDatabaseData(
  engine: DatabaseEngine,
  programs: DatabasePrograms,
  workshop: Workshop,
): Promise<boolean> {
  const primary = dataDirectory("primary", workshop);
  const replica = dataDirectory("replica", workshop);
  if (!existsSync(primary)) {
    workshop.say(`Preparing a ${engine.name} primary and replica (first start)`);
    await rm(`${primary}.new`, { recursive: true, force: true });
    await engine.initialise(`${primary}.new`, programs, workshop);
    await rm(replica, { recursive: true, force: true });
    await rename(`${primary}.new`, primary);
  }
  if (existsSync(replica) && !existsSync(`${replica}.unadopted`)) return false;
  await rm(replica, { recursive: true, force: true });
  await rm(`${replica}.new`, { recursive: true, force: true });
  await writeFile(`${replica}.unadopted`, "");
  await cp(primary, `${replica}.new`, { recursive: true, filter: (path) => !OWN_TO_PRIMARY.test(basename(path)) });
  await rename(`${replica}.new`, replica);
  return true;
}

// Its log of changes, and the identity that MySQL writes into the folder.
const OWN_TO_PRIMARY = /^(binlog\..*|auto\.cnf)$/;

/** The replica knows its position. */
export async function replicaAdopted(workshop: Workshop): Promise<void> {
  await rm(`${dataDirectory("replica", workshop)}.unadopted`, { force: true });
}

/** Throws the replica's data away: the next preparation copies it anew. */
export async function discardReplica(workshop: Workshop): Promise<void> {
  await rm(dataDirectory("replica", workshop), { recursive: true, force: true });
}
