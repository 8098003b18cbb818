import { readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isAbandoned, lockDirectory } from "./directory-lock.ts";
import { endLeftovers } from "./leftovers.ts";

export interface ClaimedDirectory {
  readonly directory: string;
  /** Unlocks it and keeps its files, e.g. for a person who wants to read the logs. */
  readonly release: () => void;
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
    if (!entry.startsWith(prefix) || !isAbandoned(abandoned)) continue;
    // Sorted, so that `apps` come before the `services` that they need.
    for (const folder of (await readdir(abandoned)).toSorted()) await endLeftovers(join(abandoned, folder), say);
    await rm(abandoned, { recursive: true, force: true, maxRetries: 5 });
  }
  const directory = resolve(parent, `${prefix}${process.pid}`);
  await rm(directory, { recursive: true, force: true });
  return { directory, release: await lockDirectory(directory) };
}
