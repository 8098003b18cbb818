import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isAbandoned, lockFile } from "@tally/client/journal";
import { endLeftovers } from "./leftovers.ts";
import { ServiceError } from "./service-error.ts";

const lockName = "launcher.lock";

/**
 * Locks the directory for this process; returns the function that unlocks it. Throws `directory-in-use` while another
 * launcher has it. Takes over the lock of a dead launcher.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  // mkdir applies the mode to every folder that it creates: with 0700 on the parent, the users of the servers could not enter.
  await mkdir(dirname(directory), { recursive: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return lockFile(
    join(directory, lockName),
    (pid) =>
      new ServiceError(
        "directory-in-use",
        `Process ${pid} already runs tally in ${directory}. Stop that process, or use another directory.`,
      ),
  );
}

export interface ClaimedDirectory {
  readonly directory: string;
  /** Unlocks it and keeps its files, e.g. for a person who wants to read the logs. */
  readonly release: () => Promise<void>;
}

/**
 * Creates `<parent>/<name>-<pid>`, empty and locked for this process, for a system whose services and apps live in its folders. First ends
 * what killed processes have left running in directories of the same name, and deletes these directories.
 */
export async function claimDirectory(
  parent: string,
  name: string,
  say: (line: string) => void,
): Promise<ClaimedDirectory> {
  const prefix = `${name}-`;
  const entries = await readdir(parent).catch(() => []);
  for (const entry of entries) {
    const abandoned = resolve(parent, entry);
    if (!entry.startsWith(prefix) || !(await isAbandoned(join(abandoned, lockName)))) continue;
    // Sorted, so that `apps` come before the `services` that they need.
    for (const folder of (await readdir(abandoned)).toSorted()) await endLeftovers(join(abandoned, folder), say);
    await rm(abandoned, { recursive: true, force: true, maxRetries: 5 });
  }
  const directory = resolve(parent, `${prefix}${process.pid}`);
  await rm(directory, { recursive: true, force: true });
  return { directory, release: await lockDirectory(directory) };
}
